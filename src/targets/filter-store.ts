import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { TargetFilter } from './filters/filter-kind.ts';

/** Gives a target a filter in the place of the one of that kind that it has. */
export async function setFilter(tx: SiteDb, filter: TargetFilter): Promise<void> {
  const { idTarget, kind, isEnabled, definition } = filter;
  await tx.run(sql`
    insert into ${tx.t.target_filter} (id_target, kind, is_enabled, definition)
    values (${idTarget}, ${kind}, ${isEnabled}, ${JSON.stringify(definition)}::jsonb)
    on conflict (id_target, kind) do update
    set is_enabled = excluded.is_enabled, definition = excluded.definition, ended_at = null`);
}

/** The filter of a kind that a target has. */
export async function findFilter(
  db: SiteDb,
  idTarget: number,
  kind: string,
): Promise<TargetFilter | undefined> {
  return db.first<TargetFilter & Record<string, unknown>>(sql`
    select id_target as "idTarget", kind, is_enabled as "isEnabled", definition
    from ${db.t.target_filter} where id_target = ${idTarget} and kind = ${kind}`);
}

/** Enables a filter, or keeps it without using it. */
export async function enableFilter(
  tx: SiteDb,
  idTarget: number,
  kind: string,
  isEnabled: boolean,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.target_filter} set is_enabled = ${isEnabled} where id_target = ${idTarget} and kind = ${kind}`);
}

export async function removeFilter(tx: SiteDb, idTarget: number, kind: string): Promise<void> {
  await tx.run(sql`delete from ${tx.t.target_filter} where id_target = ${idTarget} and kind = ${kind}`);
}

/** Gives a new target all filters of another one. */
export async function copyFilters(tx: SiteDb, from: number, to: number): Promise<void> {
  await tx.run(sql`
    insert into ${tx.t.target_filter} (id_target, kind, is_enabled, definition, ended_at)
    select ${to}::int, kind, is_enabled, definition, ended_at from ${tx.t.target_filter} where id_target = ${from}`);
}
