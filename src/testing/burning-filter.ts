import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { setFilter } from '../targets/filter-store.ts';
import { siteRoleOf } from '../targets/site-role.ts';
import { makeTarget } from './campaign-makers.ts';
import { until } from './until.ts';

/** An expression that takes about ten milliseconds of processor time for each subscriber of `addBurning`. */
export const burningExpression = `fld5 || fld5 like '%${'a'.repeat(7000)}b%'`;

/** Adds subscribers, from id 1,001 on, for which `burningExpression` takes minutes in total. */
export async function addBurning(db: SiteDb): Promise<void> {
  await db.run(sql`
    insert into ${db.t.subscriber} (fld0, fld1, fld5)
    select 1000 + i, 'burn' || i || '@example.org', repeat('a', 10000) from generate_series(1, 20000) i`);
}

/** A target with an expression that was not tried, as it would be when it is set: it grew slow since. */
export async function targetByExpression(db: SiteDb, text: string): Promise<number> {
  const idTarget = await makeTarget(db);
  await setFilter(db, { idTarget, kind: 'sql', isEnabled: true, definition: { sql: text } });
  return idTarget;
}

/** Process ids of PostgreSQL's that evaluate `burningExpression` for a site, ascending. */
export async function burningOf(t: { readonly app: App; readonly db: SiteDb }): Promise<number[]> {
  // By its text: the statements that begin and end such a transaction are as active for a moment.
  return t.app.control.values<number>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and usename = ${(await siteRoleOf(t)).name} and state = 'active'
      and query like '%string_agg%'
    order by pid`);
}

/** Waits until so many evaluate it. */
export const untilBurning = (t: { readonly app: App; readonly db: SiteDb }, count: number): Promise<void> =>
  until(async () => (await burningOf(t)).length === count, `${count} expressions to be evaluated`);
