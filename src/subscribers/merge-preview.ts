import { columnOf } from '../fields/field.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { changeOf, type Merge, match, refusals } from './subscriber-merge.ts';

/** Counts of the rows that `updateMatched` would change. */
export interface ChangeCounts {
  readonly changed: number;
  /** People who are subscribed again, who stay unsubscribed, and who are unsubscribed. */
  readonly returning: number;
  readonly staying: number;
  readonly leaving: number;
  /** Values that empty cells remove. */
  readonly cleared: number;
}

/** Counts what `updateMatched` would change, and locks nothing. */
export async function countChanges(db: SiteDb, merge: Merge): Promise<ChangeCounts> {
  const { stage, key, columns } = merge;
  const { status, isLeaving, isReturning, differs } = changeOf(merge, db.t);
  const cleared = columns
    .filter(({ id }) => ![key.id, 0, 7].includes(id))
    .map((field) => sql`(s.${columnOf(field)} is not null and i.${columnOf(field)} is null)::int`);
  return db.one<ChangeCounts>(sql`
    select count(*) filter (where ${differs}) as changed,
      count(*) filter (where ${isReturning}) as returning,
      count(*) filter (where s.fld7 = 1 and ${status ?? sql`s.fld7`} = 1) as staying,
      count(*) filter (where ${isLeaving}) as leaving,
      coalesce(sum(${join([sql`0`, ...cleared], ' + ')}), 0) as cleared
    from ${match} m join ${stage} i using (n) join ${db.t.subscriber} s on s.fld0 = m.fld0`);
}

/** Numbers of the first rows by what becomes of them, in the order of the file. */
export interface FirstRows {
  readonly inserted: readonly number[];
  readonly changed: readonly number[];
  readonly unchanged: readonly number[];
  /** A later row with the same key replaced them. */
  readonly repeated: readonly number[];
}

/** The first matched rows by what writing them would do. @param most rows of each kind */
export async function firstRows(db: SiteDb, merge: Merge, most: number): Promise<FirstRows> {
  const { stage } = merge;
  const { differs } = changeOf(merge, db.t);
  const found = sql`${match} m join ${stage} i using (n) join ${db.t.subscriber} s on s.fld0 = m.fld0`;
  const first = (rows: Sql) => sql`array(select n from ${rows} order by n limit ${most})`;
  return db.one<FirstRows>(sql`
    select ${first(sql`${match} where fld0 is null`)} as inserted,
      ${first(sql`${found} where ${differs}`)} as changed,
      ${first(sql`${found} where not ${differs}`)} as unchanged,
      ${first(sql`
        ${stage} i where not exists (select from ${match} m where m.n = i.n)
        and not exists (select from ${refusals} r where r.n = i.n)`)} as repeated`);
}
