import { Temporal } from 'temporal-polyfill';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { parisZone } from '../platform/paris-time.ts';
import { isErasedId } from '../subscribers/erasure-store.ts';
import { hasUnsummed, sumGrowth } from '../subscribers/growth-store.ts';
import { bitsOf, chunkOf, planesOf } from './bit-planes.ts';
import { firstDay, spanLengths } from './day-window.ts';
import { changeOfJudged, classWith, keepTurning } from './hit-burst.ts';
import { actChanges, counterChanges, hitCounters, isReal } from './hit-change.ts';
import {
  bouncesAtOnce,
  countBounces,
  countOpeners,
  countReceipts,
  hasUncounted,
} from './provider-day-store.ts';
import { receiptStates } from './receipt.ts';

/** Maximum number of facts aggregated in one transaction; more would only take more memory. */
const hitsAtOnce = 100_000;
const rangesAtOnce = 200;

/** The number of facts added to the sums. */
export interface Folded {
  readonly hits: number;
  readonly receipts: number;
  readonly bounces: number;
}

/**
 * Adds a batch of facts that are in no sum yet to the sums: hits move to the tables of their months, receipts are
 * marked. It runs in one transaction, so a process that dies has done nothing. A concurrent run on the site waits, and
 * finds the rest.
 */
export async function foldActivity(db: SiteDb): Promise<Folded> {
  return db.transaction(async (tx) => {
    await lockSums(tx);
    await sumGrowth(tx);
    const hits = await foldHits(tx);
    const receipts = Math.max(await foldReceipts(tx), await countReceipts(tx, rangesAtOnce));
    return { hits, receipts, bounces: await countBounces(tx) };
  });
}

/** Whether a batch had its maximum size, so that there may be more. */
export function batchIsFull({ hits, receipts, bounces }: Folded): boolean {
  return hits >= hitsAtOnce || receipts >= rangesAtOnce || bounces >= bouncesAtOnce;
}

/** Whether any facts are in no sum yet. */
export async function hasUnfolded(db: SiteDb): Promise<boolean> {
  return db.value<boolean>(sql`
    select exists (select from ${db.t.hit_batch}) or exists (
      select from ${db.t.receipt_range} where not is_folded) or ${hasUncounted(db)} or ${hasUnsummed(db)} as has`);
}

/** Gives the transaction exclusive use of the sums until it ends. */
export async function lockSums(tx: SiteDb): Promise<void> {
  await tx.run(advisoryLock(`sums of ${tx.site.schema}`));
}

async function foldHits(tx: SiteDb): Promise<number> {
  // Exactly these, whatever is added in the meantime: only the holder of the lock removes batches.
  const taken = await tx.values<number>(sql`
    select id from (select id, sum(size) over (order by id) - size as before from ${tx.t.hit_batch}) b
    where before < ${hitsAtOnce}`);
  if (taken.length === 0) return 0;
  const isTaken = sql`id = any(${taken}::bigint[])`;
  const months = await tx.values<string>(sql`
    select distinct to_char(at at time zone 'UTC', 'YYYY-MM-01') as month from ${tx.t.hit_new} where ${isTaken}`);
  await makeHitMonths(tx, months);
  const columns = sql`
    id, id_sent, id_subscriber, kind, is_viral, at, rules_version, is_mobile, id_link, user_agent`;
  const address = sql`case when not ${isErasedId(tx.t, sql`id_subscriber`)} then address end`;
  return tx.value<number>(sql`
    with gone as (delete from ${tx.t.hit_batch} where ${isTaken}),
    ${changeOfJudged(tx.t, sql`select * from ${tx.t.hit_new} where ${isTaken}`)},
    moved as (
      insert into ${tx.t.hit_folded} (${columns}, address, class)
      select ${columns}, ${address}, ${classWith(sql`class`)}
      from given left join bursts b using (id_sent, id_subscriber, at)),
    ${keepTurning(tx.t)},
    ${applyChange(tx.t)}
    select count(*) as n from given`);
}

/** Steps of a statement that add `change` (hit-change.ts), an earlier step, to all sums. */
export function applyChange(t: SiteTables): Sql {
  const columns = Object.values(hitCounters).map((name) => raw(name));
  return sql`
    counter_change as (${counterChanges(sql`change`)}),
    span as (select id_sent, min(at) as first_at, max(at) as last_at from change where after group by id_sent),
    counted as (
      insert into ${t.sent_counter} as s (id_sent, first_at, last_at, ${join(columns)})
      select id_sent, first_at, last_at, ${join(columns)} from counter_change join span using (id_sent)
      on conflict (id_sent) do update set first_at = least(s.first_at, excluded.first_at),
        last_at = greatest(s.last_at, excluded.last_at),
        ${join(columns.map((name) => sql`${name} = s.${name} + excluded.${name}`))}),
    by_device as (
      insert into ${t.device_counter} as s (id_sent, is_mobile, ${join(columns)})
      select id_sent, is_mobile, ${join(columns)} from (${counterChanges(sql`change`, sql`, is_mobile`)}) c
      on conflict (id_sent, is_mobile) do update set
        ${join(columns.map((name) => sql`${name} = s.${name} + excluded.${name}`))}),
    act_change as materialized (
      select act, id_sent, (at at time zone ${parisZone}::text)::date as day, id_subscriber, sum(n)::int as n
      from (${actChanges(sql`change`)}) a
      where ${isReal(t, sql`select distinct id_sent from change`)}
      group by act, id_sent, day, id_subscriber
      having sum(n) <> 0),
    -- Subscribers become bits once; from here on whole chunks are added up.
    cell as materialized (${planesOf(sql`select * from act_change`, sql`act, id_sent, day`)}),
    by_sent as materialized (${sumOfCells(sql`select * from cell`, sql`act, id_sent`)}),
    ${upsert(t.act_by_sent, 'by_sent', ['act', 'id_sent'])},
    dated as (
      select act, span.days, day - mod(mod(day - ${firstDay}::date, days) + days, days) as day, chunk, more, less
      from cell cross join unnest(${[...spanLengths]}::smallint[]) span (days)),
    by_day as materialized (${sumOfCells(sql`select * from dated`, sql`act, days, day`)}),
    ${upsert(t.act_by_day, 'by_day', ['act', 'days', 'day'])},
    ${countOpeners(t)}`;
}

function sumOfCells(cells: Sql, keys: Sql): Sql {
  return sql`
    select ${keys}, chunk, facteur.planes_sum(more) as more, facteur.planes_sum(less) as less
    from (${cells}) cells
    group by ${keys}, chunk`;
}

/**
 * Two steps, because MERGE cannot be a step before PostgreSQL 17. The sums are locked, so no row is inserted in
 * between.
 */
function upsert(table: Sql, step: string, keys: readonly string[]): Sql {
  const all = [...keys, 'chunk'];
  const same = join(
    all.map((key) => sql`s.${raw(key)} = c.${raw(key)}`),
    ' and ',
  );
  return sql`
    ${raw(step)}_updated as (
      update ${table} s set planes = facteur.planes_take(facteur.planes_add(s.planes, c.more), c.less)
      from ${raw(step)} c where ${same}),
    ${raw(step)}_inserted as (
      insert into ${table} (${join(all.map((key) => raw(key)))}, planes)
      select ${join(all.map((key) => raw(key)))}, facteur.planes_take(c.more, c.less)
      from ${raw(step)} c where not exists (select from ${table} s where ${same}))`;
}

/** Adds receipts of a batch of ranges to the sums, which the caller has locked; returns the number of receipts. */
export async function foldReceipts(tx: SiteDb): Promise<number> {
  return tx.value<number>(sql`
    with fresh as (
      update ${tx.t.receipt_range} set is_folded = true
      where (id_sent, first_subscriber) in (
        select id_sent, first_subscriber from ${tx.t.receipt_range} where not is_folded limit ${rangesAtOnce})
      returning id_sent, subscribers, states, first_at, delays),
    reception as (
      select id_sent, id_subscriber,
        ((first_at + delay * interval '1 millisecond') at time zone ${parisZone}::text)::date as day
      from fresh, unnest(subscribers, states, delays) one (id_subscriber, state, delay)
      where state = ${receiptStates.accepted} and ${isReal(tx.t, sql`select distinct id_sent from fresh`)}),
    added as (
      insert into ${tx.t.received_by_day} as s (id_sent, day, chunk, received)
      select id_sent, day, ${chunkOf(sql`id_subscriber`)}, ${bitsOf(sql`id_subscriber`)}
      from reception
      group by 1, 2, 3
      on conflict (id_sent, day, chunk) do update set received = s.received | excluded.received)
    select coalesce(sum(cardinality(subscribers)), 0)::int as n from fresh`);
}

/**
 * Creates missing partitions for months that have hits. They are created on demand, so that a site has as many as it
 * has months, and a hit from a wrong clock has a place too. Months are those of UTC.
 * @param months first days, for example `2026-11-01`.
 */
async function makeHitMonths(tx: SiteDb, months: readonly string[]): Promise<void> {
  if (months.length === 0) return;
  const names = new Map(months.map((month) => [`hit_${month.slice(0, 7).replace('-', '_')}`, month]));
  const missing = sql`
    select name from unnest(${[...names.keys()]}::text[]) name
    where to_regclass(format('%I.%I', ${tx.site.schema}::text, name)) is null
    order by name`;
  if ((await tx.rows(missing)).length === 0) return;
  // Concurrent callers wait for each other; the second finds nothing missing.
  await tx.run(advisoryLock(`months of ${tx.site.schema}`));
  for (const { name } of await tx.rows<{ name: string }>(missing)) {
    const partition = tx.name(name);
    const first = Temporal.PlainDate.from(names.get(name)!);
    // Definitions accept no parameters, so the dates are literals.
    const bounds = raw(`from ('${first} 00:00:00+00') to ('${first.add({ months: 1 })} 00:00:00+00')`);
    // Attached, not created in place, which would lock readers out of all months for a moment.
    await tx.run(sql`create table ${partition} (like ${tx.t.hit_folded} including defaults)`);
    await tx.run(sql`alter table ${tx.t.hit_folded} attach partition ${partition} for values ${bounds}`);
  }
}
