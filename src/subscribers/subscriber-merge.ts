import { columnOf, columnTypeOf, type Field } from '../fields/field.ts';
import type { DbValue } from '../fields/field-value.ts';
import type { SiteDb, SiteSession, SiteTables } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { isErased } from './erasure-store.ts';

/**
 * Merges many rows into the subscriber table from a staging table with their checked values: column `n`, the row's
 * number, one column for each field, and `refused`, the reason not to merge a row (set by merge-trial.ts). All steps
 * run on one connection, in this order: `takeTurn`, `matchStage`, then `updateMatched` and `insertUnmatched`, for all
 * rows or for a span of them at a time.
 */
export interface Merge {
  readonly stage: Sql;
  /** The field by which rows and subscribers are matched. */
  readonly key: Field;
  /** The fields of the staging table, the key among them. */
  readonly columns: readonly Field[];
  /** Fields with one value for every row. */
  readonly constants: readonly { readonly field: Field; readonly value: DbValue }[];
  /**
   * Whether statuses stay; otherwise rows without a status resubscribe people who had unsubscribed, except those who
   * were erased and came back since. A subscriber who gets the address of an erased person is unsubscribed in any case.
   */
  readonly keepStatus: boolean;
  readonly at: Date;
  /** People who have unsubscribed since then stay unsubscribed, whatever the file contains. */
  readonly leftSince?: Date | undefined;
}

export interface RefusedRow {
  readonly n: number;
  readonly reason: string;
}

/** The session's table of rows to merge: `n`, and `fld0` of the matched subscriber, or null. */
export const match = sql`pg_temp.merge_match`;
/** The session's rows that may still be refused: `n`, `key`, `fld0`, subscribers with the key, unique values. */
const rows = sql`pg_temp.merge_row`;
export const refusals = sql`pg_temp.merge_refused`;

/** The staging table of a dry run, which ends with its session. */
export const temporaryStage = sql`pg_temp.import_stage`;

/** Creates the staging table: unlogged, because it is filled again after a crash. An old one is dropped. */
export async function createStage(db: SiteDb, stage: Sql, columns: readonly Field[]): Promise<void> {
  await db.run(sql`drop table if exists ${stage}`);
  const typed = columns.map((field) => sql`${columnOf(field)} ${columnTypeOf(field)}`);
  const kind = stage === temporaryStage ? sql`temp` : sql`unlogged`;
  await db.run(sql`
    create ${kind} table ${stage} (n int not null, refused text, ${join(typed)}) with (autovacuum_enabled = off)`);
}

/** A key in the compared form: addresses ignoring case. */
export const keyOf = (field: Field, table: Sql) =>
  field.id === 1 ? sql`lower(${table}.fld1)` : sql`${table}.${columnOf(field)}`;
const isUnique = (field: Field) => [0, 1, 43].includes(field.id);

/** Lock to the session's end: two merges of a site would deadlock and miss each other's inserts. */
export async function takeTurn({ db }: SiteSession): Promise<void> {
  await db.run(sql`select pg_advisory_lock(hashtextextended(${`merge ${db.site.schema}`}, 0))`);
}

/**
 * Matches the rows with subscribers, removes those that cannot be merged, with the reason, and keeps the last row of
 * each key, as if the rows were merged one after another. The result lasts as long as the connection, which should have
 * some `work_mem`.
 */
export async function matchStage(tx: SiteDb, merge: Merge, options: MergeOptions): Promise<void> {
  await tx.run(sql`analyze ${merge.stage}`);
  await tx.run(sql`create temp table merge_refused (n int primary key, reason text not null)`);
  await tx.run(sql`
    insert into ${refusals} select n, refused from ${merge.stage} where refused is not null`);
  if (canRefuse(merge, options)) await matchSoundRows(tx, merge, options);
  else await matchLastRows(tx, merge);
  await tx.run(sql`analyze ${match}`);
}

/** Drops the result of `matchStage`, so that the rows can be matched again in the same session. */
export async function dropMatches(db: SiteDb): Promise<void> {
  await db.run(sql`
    drop table if exists ${match}, ${rows}, ${refusals}, pg_temp.merge_contested, pg_temp.merge_holder`);
}

export interface MergeOptions {
  readonly insertEnabled: boolean;
}

/** Fields of the staging table, besides the key, that must stay unique. */
const claimsOf = ({ key, columns }: Merge) =>
  columns.filter((field) => field.id !== key.id && (field.id === 1 || field.id === 43));

const bringsEmail = ({ columns }: Merge) => columns.some((field) => field.id === 1);

/** Whether a row can be refused at all: a usual file, by address and without client ids, has only valid rows. */
function canRefuse(merge: Merge, { insertEnabled }: MergeOptions): boolean {
  return !isUnique(merge.key) || claimsOf(merge).length > 0 || (insertEnabled && !bringsEmail(merge));
}

/** Subscribers matched with the rows' keys: at most one for a unique field; otherwise with their number. */
const foundBy = (tx: SiteDb, key: Field, wanted: Sql) =>
  isUnique(key)
    ? sql`left join (select fld0, 1 as nb, ${keyOf(key, sql`one`)} as key from ${tx.t.subscriber} one) s
            on s.key = ${wanted}`
    : sql`left join (
            select ${columnOf(key)} as key, min(fld0) as fld0, count(*) as nb
            from ${tx.t.subscriber} where ${columnOf(key)} is not null group by 1) s on s.key = ${wanted}`;

/** Matches the last row of each key, if no row can be refused. */
async function matchLastRows(tx: SiteDb, { stage, key }: Merge): Promise<void> {
  await tx.run(sql`
    create temp table merge_match as
    select last.n, s.fld0
    from (select ${keyOf(key, sql`i`)} as key, max(n) as n from ${stage} i where i.refused is null group by 1) last
    ${foundBy(tx, key, sql`last.key`)}
    order by last.n`);
}

async function matchSoundRows(tx: SiteDb, merge: Merge, options: MergeOptions): Promise<void> {
  const { stage, key } = merge;
  const claims = claimsOf(merge).map((field) => sql`, ${keyOf(field, sql`i`)} as ${columnOf(field)}`);
  await tx.run(sql`
    create temp table merge_row as
    select i.n, ${keyOf(key, sql`i`)} as key, s.fld0, s.nb ${join([...claims, empty], '')}
    from ${stage} i ${foundBy(tx, key, keyOf(key, sql`i`))} where i.refused is null`);
  await tx.run(sql`analyze ${rows}`);
  await refuseUnfit(tx, merge, options);
  for (const field of claimsOf(merge)) await refuseTaken(tx, field, options);
  if (claimsOf(merge).length > 0) await refuseRepeated(tx, merge, options);
  await tx.run(sql`
    create temp table merge_match as
    select max(n) as n, min(fld0) as fld0 from ${rows} group by key order by max(n)`);
}

/** Refuses rows whose key matches no subscriber, or several, so that they cannot be merged. */
async function refuseUnfit(tx: SiteDb, merge: Merge, { insertEnabled }: MergeOptions): Promise<void> {
  await refuse(tx, sql`select n, nb || ' subscribers have this key' from ${rows} where nb > 1`);
  if (insertEnabled && merge.key.id === 0) {
    await refuse(tx, sql`select n, 'no subscriber has this identifier' from ${rows} where fld0 is null`);
  } else if (insertEnabled && !bringsEmail(merge)) {
    await refuse(tx, sql`select n, 'email to insert not found' from ${rows} where fld0 is null`);
  }
}

const nameOfClaim = (field: Field) => (field.id === 1 ? 'email address' : 'client identifier');

/** A row without a subscriber claims nothing if inserting is disabled; it is only counted. */
const isClaiming = ({ insertEnabled }: MergeOptions) => (insertEnabled ? sql`true` : sql`r.fld0 is not null`);

/** A unique value stays with its subscriber, even if the file gives it to another. */
async function refuseTaken(tx: SiteDb, field: Field, options: MergeOptions): Promise<void> {
  await refuse(
    tx,
    sql`
      select r.n, ${`the ${nameOfClaim(field)} belongs to subscriber `}::text || s.fld0
      from ${rows} r join ${tx.t.subscriber} s on ${keyOf(field, sql`s`)} = r.${columnOf(field)}
      where s.fld0 is distinct from r.fld0 and ${isClaiming(options)}`,
  );
}

/**
 * Refuses rows that claim a value which another key already holds, in the order of the file. A row that is not refused
 * replaces the previous row of its key, and releases its values. It is a loop, because whether a row is refused depends
 * on all previous ones, by two fields at once; it covers only the keys with such a value. A million rows with the same
 * client id take about 10 s, a million that are linked in chains by client id and address 30 s; without such rows it is
 * one grouping.
 */
async function refuseRepeated(tx: SiteDb, merge: Merge, options: MergeOptions): Promise<void> {
  // The text of a custom field can be longer than an index entry.
  const isLong = merge.key.fieldType === 'Text' && merge.key.id !== 1;
  const key = isLong ? sql`sha256(convert_to(key, 'UTF8')) as key` : sql`key`;
  const claims = claimsOf(merge).map((field) => ({ column: columnOf(field), name: raw(nameOfClaim(field)) }));
  const contested = claims.map(
    ({ column }) => sql`
      select key from ${rows} r where ${column} in (
        select ${column} from ${rows} r where ${column} is not null and ${isClaiming(options)}
        group by 1 having count(*) > 1 and min(key) <> max(key))`,
  );
  const columns = join(claims.map(({ column }) => column));
  await tx.run(sql`
    create temp table merge_contested as
    select n, ${key}, ${columns} from ${rows} r
    where ${isClaiming(options)} and key in (${join(contested, ' union ')})`);
  await tx.run(sql`analyze pg_temp.merge_contested`);
  await tx.run(sql`
    create temp table merge_holder as select n, key, ${columns} from pg_temp.merge_contested limit 0`);
  await tx.run(sql`create unique index on pg_temp.merge_holder (key)`);
  for (const { column } of claims) await tx.run(sql`create unique index on pg_temp.merge_holder (${column})`);
  const looks = claims.map(
    ({ column, name }) => sql`
      select n into first from pg_temp.merge_holder where ${column} = one.${column} and key <> one.key;
      if found then
        insert into ${refusals} values (one.n, 'the ${name} is already in row ' || first);
        continue;
      end if;`,
  );
  const takes = claims.map(({ column }) => sql`, ${column} = excluded.${column}`);
  await tx.run(sql`
    do $$
    declare
      one pg_temp.merge_contested%rowtype;
      first int;
    begin
      for one in select * from pg_temp.merge_contested order by n loop
        ${join(looks, '')}
        insert into pg_temp.merge_holder values (one.*)
        on conflict (key) do update set n = excluded.n ${join(takes, '')};
      end loop;
    end $$`);
  await tx.run(sql`delete from ${rows} r using ${refusals} bad where r.n = bad.n`);
}

async function refuse(tx: SiteDb, bad: Sql): Promise<void> {
  await tx.run(sql`
    with bad as (insert into ${refusals} ${bad} on conflict do nothing returning n)
    delete from ${rows} r using bad where r.n = bad.n`);
}

const pageRows = 10_000;

/** The refused rows, by ascending number; only one page of them is in memory. */
export async function* refusedRows(tx: SiteDb): AsyncGenerator<RefusedRow[]> {
  for (let last = 0; ; ) {
    const page = await tx.rows<RefusedRow>(
      sql`select n, reason from ${refusals} where n > ${last} order by n limit ${pageRows}`,
    );
    if (page.length > 0) yield page;
    if (page.length < pageRows) return;
    last = page.at(-1)!.n;
  }
}

export interface MatchCounts {
  readonly refused: number;
  readonly updates: number;
  readonly inserts: number;
}

/** @param mergedTo rows up to this one are written: those among them without a subscriber were deleted since */
export async function countMatches(tx: SiteDb, mergedTo: number): Promise<MatchCounts> {
  return tx.one<MatchCounts>(sql`
    select count(*) - count(*) filter (where fld0 is null and n > ${mergedTo}) as updates,
           count(*) filter (where fld0 is null and n > ${mergedTo}) as inserts,
           (select count(*) from ${refusals}) as refused
    from ${match}`);
}

/** Indexes the matched rows by number and returns the last one. */
export async function indexMatches(db: SiteDb): Promise<number> {
  await db.run(sql`create index on ${match} (n)`);
  return db.value<number>(sql`select coalesce(max(n), 0) as last from ${match}`);
}

export async function indexStage(db: SiteDb, stage: Sql): Promise<void> {
  await db.run(sql`create index on ${stage} (n)`);
}

/** The last of the next `count` matched rows after row `from`; null if there are none. */
export async function endOfStretch(db: SiteDb, from: number, count: number): Promise<number | null> {
  return db.value<number | null>(sql`
    select max(n) as to from (select n from ${match} where n > ${from} order by n limit ${count}) next`);
}

/** Matches rows of `which` again that another transaction may have inserted; returns the number of matched ones. */
export async function matchAgain(tx: SiteDb, { stage, key }: Merge, which: Sql): Promise<number> {
  if (!isUnique(key)) return 0;
  return tx.run(sql`
    update ${match} m set fld0 = s.fld0
    from ${stage} i join ${tx.t.subscriber} s on ${keyOf(key, sql`s`)} = ${keyOf(key, sql`i`)}
    where i.n = m.n and m.fld0 is null and ${which}`);
}

/** Condition on the matched rows `m` with their staging rows `i`: their numbers are in the range. */
export const within = (from: number, to: number): Sql =>
  sql`m.n between ${from} and ${to} and i.n between ${from} and ${to}`;

/** The fields that existing subscribers get: columns, and expressions over the staging row `i`. */
export function givenOf(merge: Merge): { field: Field; value: Sql }[] {
  const staged = merge.columns.map((field) => ({ field, value: sql`i.${columnOf(field)}` }));
  const fixed = merge.constants.map(({ field, value }) => ({
    field,
    value: sql`${value}::${columnTypeOf(field)}`,
  }));
  return [...staged, ...fixed].filter(({ field }) => field.id !== 0);
}

/** The changes by matched rows: expressions over the subscriber `s` and the staging row `i`. */
export function changeOf(merge: Merge, t: SiteTables) {
  const { key, keepStatus, leftSince } = merge;
  const given = givenOf(merge).filter(({ field }) => field.id !== key.id && field.id !== 7);
  // Whether the person has unsubscribed since the merge began.
  const hasLeft = leftSince && sql`(s.fld7 = 1 and s.fld4 >= ${leftSince})`;
  const staysAway = sql`(${hasLeft ?? sql`false`} or s.fld7 = 1 and ${isErased(t, sql`s.fld1`)})`;
  const asked = keepStatus ? undefined : sql`case when ${staysAway} then 1 else ${statusOf(merge)} end`;
  // By another key, a row can give a subscriber the address of an erased person.
  const email = given.find(({ field }) => field.id === 1)?.value;
  const status = email
    ? sql`case when lower(s.fld1) <> lower(${email}) and ${isErased(t, email)} then 1 else ${asked ?? sql`s.fld7`} end`
    : asked;
  const differing = given.map(({ field, value }) => sql`s.${columnOf(field)} is distinct from ${value}`);
  if (status) differing.push(sql`s.fld7 <> ${status}`);
  return {
    ...{ given, status, hasLeft },
    isLeaving: status ? sql`(s.fld7 = 0 and ${status} = 1)` : sql`false`,
    isReturning: status ? sql`(s.fld7 = 1 and ${status} = 0)` : sql`false`,
    differs: differing.length > 0 ? sql`(${join(differing, ' or ')})` : sql`false`,
  };
}

/** The status of a row: its own, or subscribed. */
export function statusOf(merge: Merge): Sql {
  return givenOf(merge).find(({ field }) => field.id === 7)?.value ?? sql`0`;
}
