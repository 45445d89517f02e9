import type { Field } from '../fields/field.ts';
import { emptiedSince, versionOf } from '../fields/field-store.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { identifier, join, type Sql, sql } from '../platform/db/sql.ts';
import { AnswerSize, readAtATime } from './answer-size.ts';
import { deleteChanges } from './field-change-store.ts';
import { countGrowthAs } from './growth-store.ts';
import { findSql, inStatements, type Wanted } from './lookup.ts';
import type { SubscriberRow } from './subscriber.ts';
import { lockSubscribers } from './subscriber-store.ts';

/**
 * Moves subscribers to the archive, all at once, without the changes of their fields; unknown ids are skipped. Ids that
 * name every subscriber of the site move no one. `fields` are held (`holdFields`), so none is emptied between their
 * version and the values.
 * @returns the moved ids, in the given order.
 */
export async function archiveSubscribers(
  tx: SiteDb,
  ids: readonly number[],
  fields: readonly Field[],
  at: Date,
): Promise<number[]> {
  // Lock: two calls that together name every subscriber must not run concurrently, because each would still see the
  // other's subscribers.
  await tx.run(advisoryLock(`archive ${tx.site.schema}`));
  await lockSubscribers(tx, ids);
  const other = await tx.first(sql`
    select from ${tx.t.subscriber} where fld0 <> all(${ids}::int[]) limit 1`);
  if (!other) return [];
  await countGrowthAs(tx, 'deleted');
  const moved = await tx.values<number>(sql`
    with gone as (
      delete from ${tx.t.subscriber} where fld0 = any(${ids}::int[])
      returning ${join(fields.map(keptValue))}
    )
    insert into ${tx.t.archived_subscriber} (id, email, client_id, archived_at, fields, fields_version)
    select "0"::int, "1", "43"::bigint, ${at}, jsonb_strip_nulls(to_jsonb(gone)), ${versionOf(tx)} from gone
    returning id`);
  await deleteChanges(tx, moved);
  const gone = new Set(moved);
  return [...new Set(ids)].filter((id) => gone.has(id));
}

/** A value under its field's id. Dates are in UTC without a zone, whatever the session's zone. */
function keptValue(field: Field): Sql {
  const name = identifier(String(field.id));
  const column = identifier(`fld${field.id}`);
  if (field.fieldType === 'Integer') return sql`${column}::text as ${name}`;
  return field.fieldType === 'Date'
    ? sql`${column} at time zone 'UTC' as ${name}`
    : sql`${column} as ${name}`;
}

/** Archived subscribers by position in the call, as rows; the latest of several. @throws 413 beyond a reply's limit */
export async function findArchived(
  db: SiteDb,
  wanted: readonly Wanted[],
  fields: readonly Field[],
): Promise<Map<number, SubscriberRow>> {
  const place = { table: db.t.archived_subscriber, id: sql`id`, email: sql`email`, client: sql`client_id` };
  const found = new Map<number, SubscriberRow>();
  const size = new AnswerSize();
  const shown = fields.map(({ id }) => String(id));
  const kept = sql`
    select coalesce(jsonb_object_agg(kept.key, kept.value), '{}')
    from jsonb_each(fields - ${emptiedSince(db, sql`fields_version`)}) kept
    where kept.key = any(${shown}::text[])`;
  for (const one of inStatements(wanted, readAtATime(fields))) {
    const rows = await db.rows<{ n: number; id: number; fields: Record<string, unknown> }>(
      findSql(place, one, sql`id, (${kept}) as fields`),
    );
    for (const { n, id, fields: kept } of rows) {
      const row = rowOf(id, kept, fields);
      size.add([row]);
      found.set(n, row);
    }
  }
  return found;
}

function rowOf(id: number, kept: Record<string, unknown>, fields: readonly Field[]): SubscriberRow {
  const values = fields.map((field) => {
    const value = kept[field.id] ?? null;
    const isDate = field.fieldType === 'Date' && value !== null;
    return [`fld${field.id}`, isDate ? new Date(`${value}Z`) : value];
  });
  return { ...Object.fromEntries(values), fld0: id };
}
