import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { remarkAccepted } from './bounce-store.ts';
import { applyChange, batchIsFull, foldActivity, foldReceipts, lockSums } from './fold-store.ts';
import { burstsOf, classWith } from './hit-burst.ts';
import { hitColumns } from './hit-change.ts';
import { type HitClass, hitRulesVersion, isMobileAgent, type Judgement, judgeAgain } from './hit-class.ts';

/** A change of class or device for all hits of one agent with the same judgement. */
interface Verdict extends Judgement {
  readonly newClass: HitClass;
  readonly isMobile: boolean;
}

/**
 * Judges all stored hits by the current rules, alone and with the other hits of the reader (hit-burst.ts), and corrects
 * the sums. Each sending is a transaction of its own: a concurrent reader sees it by the old rules or by the new ones,
 * never a mixture. After a crash it must be run again, and skips what is done.
 * @returns the number of hits that got another class or device.
 */
export async function reclassifyHits(
  db: SiteDb,
  judge: (judged: Judgement) => HitClass = judgeAgain,
): Promise<number> {
  // Only aggregated hits can be changed.
  while (batchIsFull(await foldActivity(db)));
  const known = await db.rows<Judgement & { wasMobile: boolean }>(sql`
    select distinct class, rules_version as "rulesVersion", user_agent as "userAgent", is_mobile as "wasMobile"
    from ${db.t.hit_folded}`);
  const verdicts = known.flatMap(({ wasMobile, ...judged }): Verdict[] => {
    const [newClass, isMobile] = [judge(judged), isMobileAgent(judged.userAgent)];
    return newClass === judged.class && isMobile === wasMobile ? [] : [{ ...judged, newClass, isMobile }];
  });
  let changed = 0;
  for (const id of await db.values<number>(sql`select id_sent from ${db.t.sent_counter} order by 1`)) {
    changed += await db.transaction(async (tx) => {
      await lockSums(tx);
      return reclassifySent(tx, id, verdicts);
    });
  }
  return changed;
}

async function reclassifySent(tx: SiteDb, idSent: number, verdicts: readonly Verdict[]): Promise<number> {
  const { t } = tx;
  return tx.value<number>(sql`
    with verdict as (${rowsOf(verdicts)}),
    judged as materialized (
      -- A row's position identifies it: only the holder of the sums' lock moves rows.
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
 * Rebuilds all sums from the facts in one transaction, for when their meaning has changed or they may be wrong. Readers
 * see the old sums until then, and aggregation waits. Then marks the bounces again, sending by sending.
 */
export async function rebuildSums(db: SiteDb): Promise<void> {
  const { t } = db;
  await db.transaction(async (tx) => {
    await lockSums(tx);
    await tx.run(sql`update ${t.receipt_range} set is_folded = false`);
    await tx.run(sql`update ${t.provider_day} set nb_human_openers = 0`);
    for (const table of [t.received_by_day, t.act_by_day, t.act_by_sent, t.sent_counter, t.device_counter]) {
      await tx.run(sql`delete from ${table}`);
    }
    for (const id of await tx.values<number>(sql`select distinct id_sent from ${t.hit_folded} order by 1`)) {
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
