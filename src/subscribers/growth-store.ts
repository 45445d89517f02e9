import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { GrowthCause, GrowthRow } from './growth.ts';

/**
 * Names the cause by which people join or leave from here to the end of the transaction; without it the cause is the
 * API. Triggers of the table of subscribers count them.
 * @param idSource the import or the sending that the changes come from; 0 means none
 */
export async function countGrowthAs(tx: SiteDb, cause: GrowthCause, idSource = 0): Promise<void> {
  await tx.run(sql`select set_config('facteur.growth_cause', ${`${cause} ${idSource}`}, true)`);
}

/** Whether there are rows that `sumGrowth` would add up. */
export const hasUnsummed = (db: SiteDb): Sql => sql`exists (select from ${db.t.growth} where not is_sum)`;

/** Adds up the rows of each day, cause and source. The caller holds the lock of the sums; no writer waits. */
export async function sumGrowth(tx: SiteDb): Promise<void> {
  await tx.run(sql`
    with gone as (
      delete from ${tx.t.growth} where not is_sum returning day, cause, id_source, nb_joined, nb_left)
    insert into ${tx.t.growth} as g (day, cause, id_source, nb_joined, nb_left, is_sum)
    select day, cause, id_source, sum(nb_joined), sum(nb_left), true
    from gone
    group by day, cause, id_source
    on conflict (day, cause, id_source) where is_sum do update
    set nb_joined = g.nb_joined + excluded.nb_joined, nb_left = g.nb_left + excluded.nb_left`);
}

/** The number of eligible people: growth holds everyone who ever joined or left, those before it existed as well. */
export async function eligibleCount(db: SiteDb): Promise<number> {
  return db.value<number>(sql`
    select greatest(coalesce(sum(nb_joined - nb_left), 0), 0)::int as n from ${db.t.growth}`);
}

/** Changes of a day that are told apart by their source. */
const namedSources = 10;

/** The growth from a Paris day on, oldest first, the largest change of a day first. */
export async function growthSince(db: SiteDb, day: string): Promise<GrowthRow[]> {
  const part = sql`day, cause, id_source, nb_joined, nb_left from ${db.t.growth} where day >= ${day}::date`;
  return db.rows<GrowthRow>(sql`
    with change as (
      select day, cause, id_source, sum(nb_joined) as nb_joined, sum(nb_left) as nb_left
      from (select ${part} and is_sum union all select ${part} and not is_sum) g
      group by day, cause, id_source),
    ranked as (
      select *, row_number() over (
        partition by day order by id_source = 0, nb_joined + nb_left desc, cause, id_source) as place
      from change),
    named as (
      select day, cause, case when place <= ${namedSources}::int then id_source else 0 end as id_source,
        sum(nb_joined)::int as nb_joined, sum(nb_left)::int as nb_left
      from ranked
      group by 1, 2, 3)
    select to_char(day, 'YYYY-MM-DD') as day, cause, id_source as "idSource", nb_joined as "nbJoined",
      nb_left as "nbLeft"
    from named
    order by named.day, nb_joined + nb_left desc, cause, id_source`);
}

/** People of a period: only those of some causes, and of a source of them. */
export interface GrowthOf {
  /** Paris days, both included. */
  readonly firstDay: string;
  readonly lastDay: string;
  readonly causes?: readonly GrowthCause[] | undefined;
  /** The import or the sending. */
  readonly idSource?: number | undefined;
}

/** How many joined and left in a period. */
export async function growthBetween(
  db: SiteDb,
  { firstDay, lastDay, causes, idSource }: GrowthOf,
): Promise<Pick<GrowthRow, 'nbJoined' | 'nbLeft'>> {
  // Two parts, because each index has one of them.
  const part = sql`nb_joined, nb_left from ${db.t.growth}
    where day between ${firstDay}::date and ${lastDay}::date
      and (${causes ?? null}::text[] is null or cause = any(${causes ?? null}::text[]))
      and (${idSource ?? null}::int is null or id_source = ${idSource ?? null})`;
  return db.one(sql`
    select coalesce(sum(nb_joined), 0)::int as "nbJoined", coalesce(sum(nb_left), 0)::int as "nbLeft"
    from (select ${part} and is_sum union all select ${part} and not is_sum) g`);
}
