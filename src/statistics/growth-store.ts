import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { growthSince } from '../subscribers/growth-store.ts';
import { firstDayOf, type GrowthDay, growthDays, isOfImport } from './growth.ts';

/**
 * The growth of a period, oldest first; days without a change are omitted. The cost is that of one row for each day,
 * cause and source, whatever the number of subscribers.
 */
export async function readGrowth(db: SiteDb, nbDays: number, now: Date): Promise<GrowthDay[]> {
  const rows = await growthSince(db, firstDayOf(now, nbDays));
  const idsOf = (isImport: boolean) => [
    ...new Set(rows.flatMap((row) => (isOfImport(row) === isImport && row.idSource > 0 ? row.idSource : []))),
  ];
  const imports = await db.rows<{ id: number; name: string | null }>(sql`
    select id, filename as name from ${db.t.known_import} where id = any(${idsOf(true)}::int[])`);
  const campaigns = await db.rows<{ idSent: number; id: number; name: string }>(sql`
    select id as "idSent", id_campaign as id, campaign_name as name
    from ${db.t.known_sent} where id = any(${idsOf(false)}::int[])`);
  return growthDays(rows, {
    imports: new Map(imports.map(({ id, name }) => [id, name ?? ''])),
    campaigns: new Map(campaigns.map(({ idSent, ...campaign }) => [idSent, campaign])),
  });
}
