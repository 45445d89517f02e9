import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { applyChange, batchIsFull, foldActivity, foldReceipts, lockSums } from './fold-store.ts';
import { foldedHitsOf } from './hit-change.ts';
import { type HitClass, hitRulesVersion, type Judgement, judgeAgain } from './hit-class.ts';

/** Hits that get another class: all of one agent that were judged alike. */
interface Verdict extends Judgement {
  readonly newClass: HitClass;
}

/**
 * Judges all hits of the past by the rules of now and corrects the sums, sent by sent, each in a transaction of its
 * own: whoever reads meanwhile sees a sent by the old rules or by the new ones, never a mixture. To be run again after
 * a crash: what was judged before is left alone.
 * @returns how many hits got another class.
 */
export async function reclassifyHits(
  db: SiteDb,
  judge: (judged: Judgement) => HitClass = judgeAgain,
): Promise<number> {
  // What waits is folded first: only folded hits can be changed.
  while (batchIsFull(await foldActivity(db)));
  const known = await db.rows<Judgement & Record<string, unknown>>(sql`
    select distinct class, rules_version as "rulesVersion", user_agent as "userAgent" from ${db.t.hit_folded}`);
  const verdicts = known
    .map((judged): Verdict => ({ ...judged, newClass: judge(judged) }))
    .filter((verdict) => verdict.newClass !== verdict.class);
  if (verdicts.length === 0) return 0;
  const sents = await db.rows<{ id: number }>(sql`
    select distinct h.id_sent as id
    from ${db.t.hit_folded} h join (${rowsOf(verdicts)}) v on ${isJudgedAs}
    order by id`);
  let changed = 0;
  for (const { id } of sents) {
    changed += await db.transaction(async (tx) => {
      await lockSums(tx);
      return reclassifySent(tx, id, verdicts);
    });
  }
  return changed;
}

const isJudgedAs = sql`h.user_agent = v.user_agent and h.class = v.class and h.rules_version = v.rules_version`;

async function reclassifySent(tx: SiteDb, idSent: number, verdicts: readonly Verdict[]): Promise<number> {
  const { t } = tx;
  const { n } = await tx.one<{ n: number }>(sql`
    with verdict as (${rowsOf(verdicts)}),
    changed as (
      update ${t.hit_folded} h set class = v.new_class, rules_version = ${hitRulesVersion}
      from verdict v
      where h.id_sent = ${idSent} and ${isJudgedAs}
      returning h.id_sent, h.id_subscriber, h.kind, v.class as old_class, h.class, h.is_viral, h.at),
    -- What this statement reads of hits is as it was before it.
    change as materialized (
      select id_sent, id_subscriber, kind, old_class as class, is_viral, at, true as before, false as after from changed
      union all
      select id_sent, id_subscriber, kind, class, is_viral, at, false, true from changed
      union all
      select id_sent, id_subscriber, kind, class, is_viral, at, true, true
      from (${foldedHitsOf(t, sql`select id_sent, id_subscriber from changed`)}) h
      where not exists (select from verdict v where ${isJudgedAs})),
    ${applyChange(t)}
    select count(*) as n from changed`);
  return n;
}

function rowsOf(verdicts: readonly Verdict[]): Sql {
  return sql`
    select *
    from unnest(${verdicts.map((one) => one.userAgent)}::text[], ${verdicts.map((one) => one.class)}::smallint[],
      ${verdicts.map((one) => one.rulesVersion)}::smallint[], ${verdicts.map((one) => one.newClass)}::smallint[])
      as verdict (user_agent, class, rules_version, new_class)`;
}

/**
 * Makes all sums anew from the facts, in one transaction: who reads meanwhile has the old ones. For when what they
 * mean has changed, or they are doubted; folding waits until it is done.
 */
export async function rebuildSums(db: SiteDb): Promise<void> {
  const { t } = db;
  await db.transaction(async (tx) => {
    await lockSums(tx);
    await tx.run(sql`update ${t.receipt_range} set is_folded = false`);
    for (const table of [t.received_by_day, t.act_by_day, t.act_by_sent, t.sent_counter]) {
      await tx.run(sql`delete from ${table}`);
    }
    const sents = await tx.rows<{ id: number }>(sql`
      select distinct id_sent as id from ${t.hit_folded} order by id`);
    for (const { id } of sents) {
      await tx.run(sql`
        with change as materialized (
          select id_sent, id_subscriber, kind, class, is_viral, at, false as before, true as after
          from ${t.hit_folded} where id_sent = ${id}),
        ${applyChange(t)}
        select`);
    }
    for (let taken = Number.POSITIVE_INFINITY; taken > 0; ) taken = await foldReceipts(tx);
  });
}
