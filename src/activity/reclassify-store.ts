import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { remarkAccepted } from './bounce-store.ts';
import { applyChange, batchIsFull, foldActivity, foldReceipts, lockSums } from './fold-store.ts';
import { burstsOf, classWith } from './hit-burst.ts';
import { hitColumns } from './hit-change.ts';
import { type HitClass, hitRulesVersion, isMobileAgent, type Judgement, judgeAgain } from './hit-class.ts';

/** Hits that get another class or device: all of one agent that were judged alike. */
interface Verdict extends Judgement {
  readonly newClass: HitClass;
  readonly isMobile: boolean;
}

/**
 * Judges all hits of the past by the rules of now, each by itself and with the others of its reader (hit-burst.ts),
 * and corrects the sums, sent by sent, each in a transaction of its own: anyone who reads meanwhile sees a sent by
 * the old rules or by the new ones, never a mixture. To be run again after a crash: what was judged before is left
 * alone.
 * @returns how many hits got another class or device.
 */
export async function reclassifyHits(
  db: SiteDb,
  judge: (judged: Judgement) => HitClass = judgeAgain,
): Promise<number> {
  // What waits is folded first: only folded hits can be changed.
  while (batchIsFull(await foldActivity(db)));
  const known = await db.rows<Judgement & { wasMobile: boolean }>(sql`
    select distinct class, rules_version as "rulesVersion", user_agent as "userAgent", is_mobile as "wasMobile"
    from ${db.t.hit_folded}`);
  const verdicts = known.flatMap(({ wasMobile, ...judged }): Verdict[] => {
    const [newClass, isMobile] = [judge(judged), isMobileAgent(judged.userAgent)];
    return newClass === judged.class && isMobile === wasMobile ? [] : [{ ...judged, newClass, isMobile }];
  });
  const sents = await db.rows<{ id: number }>(
    sql`select id_sent as id from ${db.t.sent_counter} order by id`,
  );
  let changed = 0;
  for (const { id } of sents) {
    changed += await db.transaction(async (tx) => {
      await lockSums(tx);
      return reclassifySent(tx, id, verdicts);
    });
  }
  return changed;
}

async function reclassifySent(tx: SiteDb, idSent: number, verdicts: readonly Verdict[]): Promise<number> {
  const { t } = tx;
  const { n } = await tx.one<{ n: number }>(sql`
    with verdict as (${rowsOf(verdicts)}),
    judged as materialized (
      -- Where a row is names it: only who has the sums moves rows.
      select h.tableoid as part, h.ctid as place, ${hitColumns}, id_link, coalesce(new_class, class) as of_itself,
        coalesce(now_mobile, is_mobile) as new_mobile
      from ${t.hit_folded} h left join verdict using (user_agent, class, rules_version)
      where id_sent = ${idSent} and at >= (select first_at from ${t.sent_counter} where id_sent = ${idSent})),
    bursts as materialized (${burstsOf(sql`judged`, sql`of_itself`)}),
    anew as materialized (
      select judged.*, ${classWith(sql`of_itself`)} as new_class,
        ${classWith(sql`of_itself`)} = class and new_mobile = is_mobile as is_kept
      from judged left join bursts b using (id_sent, id_subscriber, at)),
    changed as (
      update ${t.hit_folded} h set class = new_class, is_mobile = new_mobile, rules_version = ${hitRulesVersion}
      from anew
      where h.tableoid = part and h.ctid = place and h.id_sent = ${idSent} and not is_kept
      returning h.id_sent),
    change as materialized (
      select ${hitColumns}, true as before, is_kept as after
      from anew where id_subscriber in (select id_subscriber from anew where not is_kept)
      union all
      select id_sent, id_subscriber, kind, new_class, is_viral, at, new_mobile, false, true
      from anew where not is_kept),
    ${applyChange(t)}
    select count(*) as n from changed`);
  return n;
}

function rowsOf(verdicts: readonly Verdict[]): Sql {
  return sql`
    select *
    from unnest(${verdicts.map((one) => one.userAgent)}::text[], ${verdicts.map((one) => one.class)}::smallint[],
      ${verdicts.map((one) => one.rulesVersion)}::smallint[], ${verdicts.map((one) => one.newClass)}::smallint[],
      ${verdicts.map((one) => one.isMobile)}::boolean[])
      as verdict (user_agent, class, rules_version, new_class, now_mobile)`;
}

/**
 * Makes all sums again from the facts, in one transaction: who reads meanwhile has the old ones. For when what they
 * mean has changed, or they are doubted; folding waits until it is done. Then what bounces know of receipts, sent by
 * sent.
 */
export async function rebuildSums(db: SiteDb): Promise<void> {
  const { t } = db;
  await db.transaction(async (tx) => {
    await lockSums(tx);
    await tx.run(sql`update ${t.receipt_range} set is_folded = false`);
    for (const table of [t.received_by_day, t.act_by_day, t.act_by_sent, t.sent_counter, t.device_counter]) {
      await tx.run(sql`delete from ${table}`);
    }
    const sents = await tx.rows<{ id: number }>(sql`
      select distinct id_sent as id from ${t.hit_folded} order by id`);
    for (const { id } of sents) {
      await tx.run(sql`
        with change as materialized (
          select ${hitColumns}, false as before, true as after
          from ${t.hit_folded} where id_sent = ${id}),
        ${applyChange(t)}
        select`);
    }
    for (let taken = Number.POSITIVE_INFINITY; taken > 0; ) taken = await foldReceipts(tx);
  });
  await remarkAccepted(db);
}
