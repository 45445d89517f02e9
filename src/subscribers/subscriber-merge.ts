import { columnOf, columnTypeOf, type Field } from '../fields/field.ts';
import type { DbValue } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';

/**
 * Many rows at once into the subscriber table, from a staging table that holds their checked values: column `n`, the
 * row's number, and one column a field. All of it happens in the caller's transaction, in this order: `matchStage`,
 * `refuseConflicts`, then `updateMatched` and `insertUnmatched`.
 */
export interface Merge {
  /** Name of the staging table. */
  readonly stage: Sql;
  /** The field by which a row finds its subscriber. */
  readonly key: Field;
  /** The fields of the staging table, the key among them. */
  readonly columns: readonly Field[];
  /** Fields that get one value on every row. */
  readonly constants: readonly { readonly field: Field; readonly value: DbValue }[];
  /** Nobody's status changes; without it, rows that bring no status subscribe again who had left. */
  readonly keepStatus: boolean;
  readonly at: Date;
}

export interface RefusedRow {
  readonly n: number;
  readonly reason: string;
}

/** The session's table of rows that are to be merged: `n`, and `fld0` of the subscriber found, or null. */
const match = sql`pg_temp.merge_match`;
const refusals = sql`pg_temp.merge_refused`;

/** Creates the staging table: unlogged, since after a crash it is filled anew anyway. An old one is dropped. */
export async function createStage(db: SiteDb, stage: Sql, columns: readonly Field[]): Promise<void> {
  await db.run(sql`drop table if exists ${stage}`);
  const typed = columns.map((field) => sql`${columnOf(field)} ${columnTypeOf(field)}`);
  await db.run(sql`
    create unlogged table ${stage} (n int not null, ${join(typed)}) with (autovacuum_enabled = off)`);
}

/** A key as it is compared: addresses without regard to case. */
const keyOf = (field: Field, table: Sql) =>
  field.id === 1 ? sql`lower(${table}.fld1)` : sql`${table}.${columnOf(field)}`;
const isUnique = (field: Field) => [0, 1, 43].includes(field.id);

/**
 * Lock: two merges of one site take turns from here to the end of the transaction. They would otherwise lock rows in
 * different orders (updates by id, then inserts by address, against the same), and each would miss the other's inserts
 * when it looks for matches.
 */
export async function takeTurn(tx: SiteDb): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`merge ${tx.site.schema}`}, 0))`);
}

/**
 * Finds each key's subscriber; of rows with the same key only the last one stays.
 * @returns the number of keys. Two merges of one site take turns from here to the end of the transaction.
 */
export async function matchStage(tx: SiteDb, { stage, key }: Merge): Promise<number> {
  // Sorting and hashing a million keys in memory, not on disk; set for this transaction only.
  await tx.run(sql`set local work_mem = '128MB'`);
  await takeTurn(tx);
  await tx.run(sql`analyze ${stage}`);
  await tx.run(sql`create temp table merge_refused (n int primary key, reason text not null) on commit drop`);
  const found = isUnique(key)
    ? sql`left join ${tx.t.subscriber} s on ${keyOf(key, sql`s`)} = last.key`
    : sql`left join (
        select ${columnOf(key)} as key, min(fld0) as fld0, count(*) as nb
        from ${tx.t.subscriber} where ${columnOf(key)} is not null group by 1) s using (key)`;
  await tx.run(sql`
    create temp table merge_match on commit drop as
    select last.n, s.fld0, ${isUnique(key) ? sql`1` : sql`coalesce(s.nb, 1)`} as nb
    from (select ${keyOf(key, sql`i`)} as key, max(n) as n from ${stage} i group by 1) last ${found}
    order by s.fld0`);
  await tx.run(sql`analyze ${match}`);
  return (await tx.one<{ nb: number }>(sql`select count(*) as nb from ${match}`)).nb;
}

/** Takes out the rows that cannot be merged, each with its reason; to be called once, after `matchStage`. */
export async function refuseConflicts(
  tx: SiteDb,
  merge: Merge,
  options: { readonly insertEnabled: boolean },
): Promise<void> {
  const { key, columns } = merge;
  const brings = (id: number) => columns.some((field) => field.id === id);
  if (!isUnique(key)) {
    await refuse(tx, sql`select n, nb || ' subscribers have this key' from ${match} where nb > 1`);
  }
  if (options.insertEnabled && key.id === 0) {
    await refuse(tx, sql`select n, 'no subscriber has this identifier' from ${match} where fld0 is null`);
  } else if (options.insertEnabled && !brings(1)) {
    await refuse(tx, sql`select n, 'email to insert not found' from ${match} where fld0 is null`);
  }
  for (const field of columns) {
    if (field.id !== key.id && (field.id === 1 || field.id === 43)) await refuseTaken(tx, merge, field);
  }
}

/** A unique value stays with the subscriber who has it, then with the first row of the file that brings it. */
async function refuseTaken(tx: SiteDb, { stage }: Merge, field: Field): Promise<void> {
  const name = field.id === 1 ? 'email address' : 'client identifier';
  await refuse(
    tx,
    sql`
      select m.n, ${`the ${name} belongs to subscriber `}::text || s.fld0
      from ${match} m join ${stage} i using (n)
      join ${tx.t.subscriber} s on ${keyOf(field, sql`s`)} = ${keyOf(field, sql`i`)}
      where s.fld0 is distinct from m.fld0`,
  );
  await refuse(
    tx,
    sql`
      select n, ${`the ${name} stands in row `}::text || first || ' already'
      from (select i.n, min(i.n) over (partition by ${keyOf(field, sql`i`)}) as first
            from ${match} m join ${stage} i using (n) where ${columnOf(field)} is not null) as one
      where n > first`,
  );
}

async function refuse(tx: SiteDb, rows: Sql): Promise<void> {
  await tx.run(sql`
    with bad as (insert into ${refusals} ${rows} on conflict do nothing returning n)
    delete from ${match} m using bad where m.n = bad.n`);
}

/** The rows that were taken out, by number; at most `limit` of them. */
export async function refusedRows(tx: SiteDb, limit: number): Promise<RefusedRow[]> {
  return tx.rows<RefusedRow & Record<string, unknown>>(
    sql`select n, reason from ${refusals} order by n limit ${limit}`,
  );
}

export interface MatchCounts {
  readonly refused: number;
  readonly updates: number;
  readonly inserts: number;
}

export async function countMatches(tx: SiteDb): Promise<MatchCounts> {
  return tx.one<MatchCounts & Record<string, unknown>>(sql`
    select count(fld0) as updates, count(*) - count(fld0) as inserts,
           (select count(*) from ${refusals}) as refused
    from ${match}`);
}

/** The fields that existing subscribers get, as columns and as expressions over the staging row `i`. */
function givenOf(merge: Merge): { field: Field; value: Sql }[] {
  const staged = merge.columns.map((field) => ({ field, value: sql`i.${columnOf(field)}` }));
  const fixed = merge.constants.map(({ field, value }) => ({
    field,
    value: sql`${value}::${columnTypeOf(field)}`,
  }));
  return [...staged, ...fixed].filter(({ field }) => field.id !== 0);
}

/**
 * Writes the rows to the subscribers they found, only where something differs; the number of rows changed. The key
 * stays as it is.
 * Order: by the subscribers' ids, as the other writers of many rows take them.
 */
export async function updateMatched(tx: SiteDb, merge: Merge): Promise<number> {
  const { stage, key, keepStatus, at } = merge;
  const given = givenOf(merge).filter(({ field }) => field.id !== key.id && field.id !== 7);
  const brings = (id: number) => given.some(({ field }) => field.id === id);
  const status = keepStatus ? undefined : statusOf(merge);
  const isLeaving = status && sql`s.fld7 = 0 and ${status} = 1`;
  const isReturning = status && sql`s.fld7 = 1 and ${status} = 0`;
  const sets = given.map(({ field, value }) => sql`${columnOf(field)} = ${value}`);
  if (status) sets.push(sql`fld7 = ${status}`);
  if (isReturning && !brings(3)) sets.push(sql`fld3 = case when ${isReturning} then ${at} else s.fld3 end`);
  if (isLeaving && !brings(4)) sets.push(sql`fld4 = case when ${isLeaving} then ${at} else s.fld4 end`);
  if (sets.length === 0) return 0;
  const differences = given.map(({ field, value }) => sql`s.${columnOf(field)} is distinct from ${value}`);
  if (status) differences.push(sql`s.fld7 <> ${status}`);
  return tx.run(sql`
    update ${tx.t.subscriber} s set ${join(sets)}
    from (select m.fld0 as id, i.* from ${match} m join ${stage} i using (n) where m.fld0 is not null order by m.fld0) i
    where s.fld0 = i.id and (${join(differences, ' or ')})`);
}

/** The status that a row gives: its own, or subscribed. */
function statusOf(merge: Merge): Sql {
  return givenOf(merge).find(({ field }) => field.id === 7)?.value ?? sql`0`;
}

/**
 * Inserts the rows that found nobody; their number. As at creation: subscribed, dates 2 and 3 set; an unsubscribed one
 * gets its date 4. Order: of the file, so that ids follow it: who is exported by id and imported elsewhere keeps place.
 * @throws PostgreSQL's duplicate key when somebody else has inserted the same address meanwhile.
 */
export async function insertUnmatched(tx: SiteDb, merge: Merge): Promise<number> {
  const { stage, at } = merge;
  const given = givenOf(merge).filter(({ field }) => field.id !== 7);
  const brings = (id: number) => given.some(({ field }) => field.id === id);
  const status = statusOf(merge);
  const columns = [sql`fld2`, sql`fld7`, ...given.map(({ field }) => columnOf(field))];
  const values = [sql`${at}::timestamptz`, status, ...given.map(({ value }) => value)];
  if (!brings(3)) {
    columns.push(sql`fld3`);
    values.push(sql`${at}::timestamptz`);
  }
  if (!brings(4)) {
    columns.push(sql`fld4`);
    values.push(sql`case when ${status} = 1 then ${at}::timestamptz end`);
  }
  return tx.run(sql`
    insert into ${tx.t.subscriber} (${join(columns)})
    select ${join(values)} from ${match} m join ${stage} i using (n) where m.fld0 is null order by m.n`);
}
