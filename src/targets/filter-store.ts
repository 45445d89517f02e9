import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { TargetFilter } from './filters/filter-kind.ts';

/** Sets a target's filter of a kind, replacing the previous one. */
export async function setFilter(tx: SiteDb, filter: TargetFilter): Promise<void> {
  const { idTarget, kind, isEnabled, definition } = filter;
  await tx.run(sql`
    insert into ${tx.t.target_filter} (id_target, kind, is_enabled, definition)
    values (${idTarget}, ${kind}, ${isEnabled}, ${JSON.stringify(definition)}::jsonb)
    on conflict (id_target, kind) do update
    set is_enabled = excluded.is_enabled, definition = excluded.definition, ended_at = null`);
}

export async function findFilter(
  db: SiteDb,
  idTarget: number,
  kind: string,
): Promise<TargetFilter | undefined> {
  return db.first<TargetFilter>(sql`
    select id_target as "idTarget", kind, is_enabled as "isEnabled", definition
    from ${db.t.target_filter} where id_target = ${idTarget} and kind = ${kind}`);
}

/** Enables or disables a filter. */
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

/** Copies all filters of a target to a new one. */
export async function copyFilters(tx: SiteDb, from: number, to: number): Promise<void> {
  await tx.run(sql`
    insert into ${tx.t.target_filter} (id_target, kind, is_enabled, definition, ended_at)
    select ${to}::int, kind, is_enabled, definition, ended_at from ${tx.t.target_filter} where id_target = ${from}`);
}

/** Targets whose file filter has not ended and names a file, by its composed name; at most `limit`. */
export async function targetsWithFile(db: SiteDb, filename: string, limit: number): Promise<number[]> {
  return db.values<number>(sql`
    select f.id_target from ${db.t.target_filter} f join ${db.t.target} t on t.id = f.id_target
    where f.kind = 'file' and f.ended_at is null and t.deleted_at is null
      and normalize(f.definition ->> 'filename') = ${filename}
    order by 1 limit ${limit}`);
}
