import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SiteDb } from '../platform/db/site-db.ts';
import { identifier, type Sql, sql } from '../platform/db/sql.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import { columnOf, columnTypeOf, type Field, firstCustomId } from './field.ts';
import { MergeUnderWay, readMergeState } from './merge-state.ts';

const columns = sql`
  f.id, f.name, f.length, f.list, f.field_type as "fieldType", f.description, f.id < 100 as "isSystem",
  f.is_visible as "isVisible", f.is_editable as "isEditable", f.is_hidden_by_customer as "isHiddenByCustomer"`;

/** All fields of the site by id. Before rows of subscribers are read or written by them, see `holdFields`. */
export async function listFields(db: SiteDb): Promise<Field[]> {
  return db.rows<Field>(sql`select ${columns} from ${db.t.field} f order by f.id`);
}

/**
 * All fields, which keep their columns and types until the transaction ends. The join names the subscriber table so
 * that the statement takes its ACCESS SHARE lock, before its snapshot, in the same round trip: a change of type needs
 * the table for itself, so it is either seen whole or waits.
 */
export async function holdFields(tx: SiteDb): Promise<Field[]> {
  return tx.rows<Field>(sql`
    select ${columns} from ${tx.t.field} f left join ${tx.t.subscriber} s on false order by f.id`);
}
/** All fields with the version that they have; see field-set.ts. */
export async function readFieldSet(db: SiteDb): Promise<{ version: number; fields: Field[] }> {
  const rows = await db.rows<Field & { version: number }>(sql`
    select ${columns}, ${versionOf(db)} as version from ${db.t.field} f order by f.id`);
  return { version: rows[0]?.version ?? 0, fields: rows.map(({ version: _, ...field }) => field) };
}

/** The version of the fields, as a value inside another statement. */
export const versionOf = (db: SiteDb): Sql => sql`(select version from ${db.t.field_version})`;

/** Ids of the fields emptied after a version, as a text[] for a statement: their older values no longer count. */
export const emptiedSince = (db: SiteDb, version: Sql): Sql => sql`
  array(select f.id::text from ${db.t.field} f where f.emptied_version > ${version})`;

/** Fields by id, null in place of an unknown one; in the order asked. */
export async function findFields(db: SiteDb, ids: readonly number[]): Promise<(Field | null)[]> {
  const known = new Map((await listFields(db)).map((field) => [field.id, field]));
  return ids.map((id) => known.get(id) ?? null);
}

export async function countCustomFields(db: SiteDb): Promise<number> {
  return db.value<number>(sql`select count(*) as count from ${db.t.field} where id >= ${firstCustomId}`);
}

/**
 * Adds a field and its column; `quota` is the number of custom fields that the site may have. `make` is given the new
 * id: the highest one plus 1. Fields are never deleted, so no id comes twice. Locks, in this order everywhere: the
 * field table against other changes of fields (readers continue), then the subscriber table for the instant that
 * adding a column takes.
 * @throws 422 when the quota or the room for lists is used up, 409 when the subscriber table stays busy.
 */
export async function insertField(db: SiteDb, quota: number, make: (id: number) => Field): Promise<Field> {
  return changingFields(db, async (tx) => {
    const used = await countCustomFields(tx);
    if (used >= quota) throw refused(`All ${quota} custom fields of the quota are in use`);
    const id = await tx.value<number>(
      sql`select greatest(max(id) + 1, ${firstCustomId}::int) as id from ${tx.t.field}`,
    );
    const field = make(id);
    await refuseLongLists(tx, field, null);
    await tx.run(sql`
      insert into ${tx.t.field} (id, name, field_type, length, list, description, is_visible, is_editable,
                                 is_hidden_by_customer)
      values (${id}, ${field.name}, ${field.fieldType}, ${field.length}, ${jsonOf(field.list)}, ${field.description},
              ${field.isVisible}, ${field.isEditable}, ${field.isHiddenByCustomer})`);
    await addColumn(tx, field);
    return field;
  });
}

/**
 * Changes a field by `change`, a pure function of its present state. A new type empties the values: the column is
 * dropped and created again, and the archive no longer shows earlier ones (`emptiedSince`).
 * @returns undefined for an unknown id
 * @throws 409 if a value in use would no longer fit, or the subscriber table stays busy; 422 if the room for lists is
 * used up
 */
export async function updateField(
  db: SiteDb,
  id: number,
  change: (field: Field) => Field,
): Promise<Field | undefined> {
  return changingFields(db, async (tx) => {
    const before = await tx.first<Field>(sql`select ${columns} from ${tx.t.field} f where f.id = ${id}`);
    if (!before) return undefined;
    const after = change(before);
    if (after === before) return before;
    if (readsOtherwise(before, after)) await refuseDuringMerge(tx);
    await refuseLongLists(tx, after, before.list);
    const isEmptied = after.fieldType !== before.fieldType;
    if (isEmptied) await remakeColumn(tx, after);
    else await refuseMisfits(tx, before, after);
    // The version that this very change makes (the trigger on `field`).
    const emptied = isEmptied ? sql`${versionOf(tx)} + 1` : sql`emptied_version`;
    await tx.run(sql`
      update ${tx.t.field} set name = ${after.name}, field_type = ${after.fieldType}, length = ${after.length},
             list = ${jsonOf(after.list)}, description = ${after.description}, is_visible = ${after.isVisible},
             is_editable = ${after.isEditable}, is_hidden_by_customer = ${after.isHiddenByCustomer},
             emptied_version = ${emptied}
      where id = ${id}`);
    return after;
  });
}

const jsonOf = (list: Field['list']) => (list ? JSON.stringify(list) : null);

/** Maximum size in bytes of the lists of all fields of a site: every writer of subscribers reads them all. */
const maxListBytes = 16_000_000;

/** @throws 422 for a list that is longer than the one before, when those of the site become too long together. */
async function refuseLongLists(tx: SiteDb, { id, list }: Field, before: Field['list']): Promise<void> {
  const bytesOf = (one: Field['list']) => Buffer.byteLength(jsonOf(one) ?? '');
  if (bytesOf(list) <= bytesOf(before)) return;
  const bytes = await tx.value<number>(sql`
    select coalesce(sum(octet_length(list::text)), 0)::bigint as bytes from ${tx.t.field} where id <> ${id}`);
  if (bytes + bytesOf(list) > maxListBytes)
    throw refused(`list: the lists of all fields of the site would take more than ${maxListBytes} bytes`);
}

/** Columns that changes of types may use up; the rest of 1,600 is for fields that are still to be made. */
const keptForNewFields = 1_000;

/** How long a change of columns waits for the table at a time: every later caller waits as well. */
const lockTimeout = '300ms';
/** How long it tries, and the time between two tries, in which the others continue. */
const patienceMs = 10_000;
const pauseMs = 200;

/** One change of fields at a time: ids cannot collide, and the quota is counted right. */
async function changingFields<T>(db: SiteDb, work: (tx: SiteDb) => Promise<T>): Promise<T> {
  for (const end = performance.now() + patienceMs; ; await pause(pauseMs)) {
    try {
      return await db.transaction(async (tx) => {
        await tx.run(sql`select set_config('lock_timeout', ${lockTimeout}, true)`);
        await tx.run(sql`lock table ${tx.t.field} in share row exclusive mode`);
        return work(tx);
      });
    } catch (error) {
      const isBusy = (error as { code?: string }).code === '55P03' || error instanceof MergeUnderWay;
      if (!isBusy) throw error;
      if (performance.now() < end) continue;
    }
    throw conflict('The subscribers are busy with a long change (an import, for example); try again later');
  }
}

/** Whether a value of a file that the field refused before may be taken now, or the other way round. */
const readsOtherwise = (before: Field, after: Field): boolean =>
  before.fieldType !== after.fieldType ||
  before.length !== after.length ||
  !isDeepStrictEqual(before.list, after.list);

/** @throws MergeUnderWay when rows of a file are being written that were read by the field as it is. */
async function refuseDuringMerge(tx: SiteDb): Promise<void> {
  const state = await readMergeState(tx);
  if (state.idImport !== null) throw new MergeUnderWay(state);
}

/** Gives a field a column: a free one of its type, read in half the time (0100-baseline.sql), or one at the end. */
async function addColumn(tx: SiteDb, field: Field): Promise<void> {
  const [column, type] = [columnOf(field), columnTypeOf(field)];
  const free = await tx.first<{ name: string }>(sql`
    select a.attname as name
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tx.site.schema} and c.relname = 'subscriber' and not a.attisdropped
      and a.attname ~ '^free[0-9]+$' and a.atttypid = ${type.text}::regtype
    order by a.attnum limit 1`);
  const change = free
    ? sql`rename column ${identifier(free.name)} to ${column}`
    : sql`add column ${column} ${type}`;
  await tx.run(sql`alter table ${tx.t.subscriber} ${change}`);
}

/** ACCESS EXCLUSIVE on the subscribers until the transaction ends: nobody sees the new type with old values. */
async function remakeColumn(tx: SiteDb, field: Field): Promise<void> {
  const [column, type] = [columnOf(field), columnTypeOf(field)];
  const { subscriber } = tx.t;
  const used = await tx.value<number>(sql`
    select max(a.attnum)::int as used
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tx.site.schema} and c.relname = 'subscriber'`);
  // Dropping takes no time, but PostgreSQL counts dropped columns too, up to 1,600 in a table's life. Before they run
  // out the table is written again instead, which takes none.
  if (used < keptForNewFields) {
    await tx.run(sql`alter table ${subscriber} drop column ${column}`);
    await addColumn(tx, field);
  } else {
    await tx.run(sql`alter table ${subscriber} alter column ${column} type ${type} using null`);
  }
}

/** @throws 409 if values no longer fit. ACCESS EXCLUSIVE waits for writers that checked by the old definition. */
async function refuseMisfits(tx: SiteDb, before: Field, after: Field): Promise<void> {
  const column = columnOf(after);
  const kept = new Set(after.list?.map(({ key }) => key));
  const removed = (before.list ?? []).map(({ key }) => key).filter((key) => !kept.has(key));
  const isShorter = after.length !== null && before.length !== null && after.length < before.length;
  if (!isShorter && removed.length === 0) return;
  await tx.run(sql`lock table ${tx.t.subscriber} in access exclusive mode`);
  const misfit = isShorter
    ? sql`length(${column}) > ${after.length}`
    : sql`${column} = any(${removed}::int[])`;
  const worst = isShorter ? sql`max(length(${column}))` : sql`mode() within group (order by ${column})`;
  const { count, value } = await tx.one<{ count: number; value: number }>(sql`
    select count(*) as count, ${worst} as value from ${tx.t.subscriber} where ${misfit}`);
  if (count === 0) return;
  const holders = count === 1 ? '1 subscriber holds' : `${count} subscribers hold`;
  throw conflict(
    isShorter
      ? `length: ${holders} values longer than ${after.length} characters, up to ${value}; shorten them first`
      : `list: ${holders} keys that the new list leaves out, most often ${value}; change these values first`,
  );
}
