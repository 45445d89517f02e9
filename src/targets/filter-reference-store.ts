import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { KnownCampaign, KnownSent } from './filters/filter-kind.ts';

/** The existing sendings among the ids, test mailings too, by id. */
export async function findSents(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownSent>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownSent>(sql`
    select id as "idSent", campaign_name || ' – ' || segment_name as name, is_test as "isTest"
    from ${db.t.known_sent} where id = any(${ids}::int[])`);
  return new Map(rows.map((row) => [row.idSent, row]));
}

/** The existing campaigns among the ids, with their real sendings, by id. */
export async function findCampaigns(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownCampaign>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownCampaign>(sql`
    select c.id as "idCampaign", c.name, max(s.started_at) as "lastSentAt",
      coalesce(array_agg(s.id order by s.id) filter (where s.id is not null), '{}') as "idsSent"
    from ${db.t.known_campaign} c
      left join ${db.t.known_sent} s on s.id_campaign = c.id and not s.is_test
    where c.id = any(${ids}::int[])
    group by c.id, c.name`);
  return new Map(rows.map((row) => [row.idCampaign, row]));
}
