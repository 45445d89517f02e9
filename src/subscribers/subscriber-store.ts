import { columnOf, columnTypeOf, type Field, selectOf } from '../fields/field.ts';
import type { FieldSet } from '../fields/field-set.ts';
import { versionOf } from '../fields/field-store.ts';
import type { DbValue } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { identifier, join, type Sql, sql } from '../platform/db/sql.ts';
import { AnswerSize, readAtATime } from './answer-size.ts';
import { isErased } from './erasure-store.ts';
import type { Writing } from './field-change.ts';
import { systemFields, updateGiven } from './field-change-store.ts';
import { hasHashIndex, isHash } from './hash-index.ts';
import { findSql, inStatements, scanSql, type Wanted } from './lookup.ts';
import type { Fields, SubscriberRow, Values } from './subscriber.ts';

/** An update of one subscriber. */
export interface Change {
  readonly id: number;
  readonly values: Values;
}

const selectAll = (fields: Iterable<Field>): Sql => join([...fields].map(selectOf));

/** The rows by position, with `fields` and id; undefined if the site's fields have changed. @throws 413 if too many */
export async function findSubscribers(
  db: SiteDb,
  wanted: readonly Wanted[],
  set: FieldSet,
  fields: readonly Field[],
): Promise<Map<number, SubscriberRow> | undefined> {
  const others = fields.filter(({ id }) => id !== 0);
  const select = others.length > 0 ? sql`fld0, ${selectAll(others)}` : sql`fld0`;
  const version = sql`, ${versionOf(db)} as version`;
  const place = { table: db.t.subscriber, id: sql`fld0`, email: sql`fld1`, client: sql`fld43` };
  const found = new Map<number, SubscriberRow>();
  const size = new AnswerSize();
  const scanned = new Set<string>();
  for (const { kind } of wanted) if (isHash(kind) && !(await hasHashIndex(db, kind))) scanned.add(kind);
  for (const one of inStatements(wanted, readAtATime(others))) {
    const rowsOf = scanned.has(one.kind) ? scanSql : findSql;
    const rows = await db.rows<{ n: number; version: number }>(rowsOf(place, one, select, version));
    if (rows.some((row) => row.version !== set.version)) return undefined;
    size.add(rows);
    for (const row of rows) found.set(row.n, row);
  }
  return found;
}

/**
 * Inserts subscribers in order, with the status and the dates that the API document gives to new ones: one statement,
 * all or none. A person who was erased is unsubscribed. Returns their rows, or undefined if the site's fields are no
 * longer those of `set`.
 * @throws PostgreSQL's duplicate key of `subscriber_email` or `subscriber_client`; then nothing is inserted.
 */
export async function insertSubscribers(
  db: SiteDb,
  set: FieldSet,
  given: readonly Values[],
  at: Date,
): Promise<SubscriberRow[] | undefined> {
  const used = usedFields(set.byId, given).filter(({ id }) => ![2, 3, 7, 44].includes(id));
  const status = sql`case when ${isErased(db.t, sql`new1`)} then 1 else 0 end`;
  const columns = [sql`fld2`, sql`fld3`, sql`fld7`, sql`fld44`, ...used.map(columnOf)];
  const values = [sql`${at}::timestamptz`, sql`${at}::timestamptz`, status, sql`given.*`];
  if (!used.some(({ id }) => id === 4)) {
    columns.push(sql`fld4`);
    values.push(sql`case when ${status} = 1 then ${at}::timestamptz end`);
  }
  const states = given.map((one) => one.get(44) ?? 0);
  // The order makes the ids follow the call, and `returning` keeps it.
  const rows = await db.rows(sql`
    insert into ${db.t.subscriber} (${join(columns)})
    select ${join(values)}
    from unnest(${states}::bigint[], ${arrays(used, given)}) as given (${join([sql`state`, ...used.map(newOf)])})
    where ${versionOf(db)} = ${set.version}
    returning ${selectAll(set.fields)}`);
  return rows.length === given.length ? rows : undefined;
}

/**
 * Updates subscribers, each at most once in `changes`, in one statement whatever they change. Returns the new rows by
 * id, without unknown ids, and keeps what a user changed. A caller with several statements has locked the rows
 * (`lockSubscribers`). With another address, the delivery state is fine again, since `at`.
 * @throws PostgreSQL's duplicate key of `subscriber_email` or `subscriber_client`; then nothing is changed.
 */
export async function updateSubscribers(
  tx: SiteDb,
  fields: Fields,
  changes: readonly Change[],
  writing: Writing,
): Promise<Map<number, SubscriberRow>> {
  const ids = changes.map(({ id }) => id);
  const given = changes.map(({ values }) => values);
  const used = usedFields(fields, given);
  const all = [...fields.values()];
  const select = selectAll(all);
  if (used.length === 0) {
    const same = await tx.rows(sql`select ${select} from ${tx.t.subscriber} where fld0 = any(${ids}::int[])`);
    return byNumber(same);
  }
  const values = sql`${ids}::int[], ${arrays(used, given)}${flags(used, given)}`;
  const names = join([...used.map(newOf), ...partial(used, given).map(isGivenOf)]);
  const changed = {
    set: join(assignments(used, given, writing.at)),
    given: sql`unnest(${values}) as i (id, ${names})`,
    fields: used.some(({ id }) => id === 1) ? [...used, ...systemFields(44, 45)] : used,
  };
  return byNumber(await tx.rows(updateGiven(tx, { ...changed, others: all, select }, writing)));
}

const byNumber = (rows: readonly SubscriberRow[]) => new Map(rows.map((row) => [Number(row.fld0), row]));

/** Locks rows in the order of ids, so that calls wait instead of deadlocking. A single row's statement locks it. */
export async function lockSubscribers(tx: SiteDb, ids: readonly number[]): Promise<void> {
  if (ids.length < 2) return;
  await tx.run(sql`
    select from ${tx.t.subscriber} where fld0 = any(${ids}::int[]) order by fld0 for no key update`);
}

/** The values of subscribers in some fields, by id. */
export async function readSubscribers(
  db: SiteDb,
  ids: readonly number[],
  fields: Iterable<Field>,
): Promise<Map<number, SubscriberRow>> {
  const rows = await db.rows(sql`
    select fld0 as id, ${selectAll(fields)} from ${db.t.subscriber} where fld0 = any(${ids}::int[])`);
  return new Map(rows.map((row) => [Number(row.id), row]));
}

/** Whether a subscriber with this id exists or was archived. */
export async function isKnownSubscriber(db: SiteDb, id: number): Promise<boolean> {
  return db.value<boolean>(sql`
    select exists (select from ${db.t.subscriber} where fld0 = ${id})
      or exists (select from ${db.t.archived_subscriber} where id = ${id}) as "isKnown"`);
}

/** The fields with a value, in a fixed order. */
function usedFields(fields: Fields, given: readonly Values[]): Field[] {
  return [...fields.values()].filter(({ id }) => given.some((values) => values.has(id)));
}

/** One array parameter for each field, with a value (or null) for each subscriber. */
function arrays(used: readonly Field[], given: readonly Values[]): Sql {
  return join(
    used.map((field) => {
      const values = given.map((one) => parameterOf(one.get(field.id) ?? null));
      return sql`${values}::${columnTypeOf(field)}[]`;
    }),
  );
}

/** Dates as UTC text: the driver would write them in the zone of the process. */
const parameterOf = (value: DbValue) => (value instanceof Date ? value.toISOString() : value);

/** The fields that some subscribers of the call change and others do not. */
const partial = (used: readonly Field[], given: readonly Values[]) =>
  used.filter(({ id }) => !given.every((values) => values.has(id)));

function flags(used: readonly Field[], given: readonly Values[]): Sql {
  const parts = partial(used, given).map(
    ({ id }) => sql`, ${given.map((values) => values.has(id))}::boolean[]`,
  );
  return parts.length > 0 ? join(parts, '') : sql``;
}

/** Separate names, because `returning` names the table's columns bare. */
const newOf = ({ id }: Field): Sql => identifier(`new${id}`);
const isGivenOf = ({ id }: Field): Sql => identifier(`is_given${id}`);

/** Assigns the given values, and keeps the others; another email resets the delivery state. */
function assignments(used: readonly Field[], given: readonly Values[], at: Date): Sql[] {
  const others = otherwise(used, at);
  const sets = used.map((field) => {
    const kept = others.get(field.id) ?? sql`s.${columnOf(field)}`;
    const isEverybodys = given.every((values) => values.has(field.id));
    const value = isEverybodys
      ? newOf(field)
      : sql`case when ${isGivenOf(field)} then ${newOf(field)} else ${kept} end`;
    return sql`${columnOf(field)} = ${value}`;
  });
  for (const [id, value] of others)
    if (!used.some((field) => field.id === id)) sets.push(sql`${identifier(`fld${id}`)} = ${value}`);
  return sets;
}

/** The values of fields that are not given: with another email the delivery state is fine, since `at`. */
function otherwise(used: readonly Field[], at: Date): ReadonlyMap<number, Sql> {
  const email = used.find(({ id }) => id === 1);
  if (!email) return new Map();
  const isOther = sql`coalesce(lower(${newOf(email)}) <> lower(s.fld1), false)`;
  return new Map([
    [44, sql`case when ${isOther} then 0 else s.fld44 end`],
    [45, sql`case when ${isOther} then ${at}::timestamptz else s.fld45 end`],
  ]);
}
