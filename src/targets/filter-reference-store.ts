import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { KnownCampaign, KnownSent } from './filters/filter-kind.ts';

// Campaigns and sendings are slices after this one, so their tables are read here and nothing of theirs is imported.

/** Those of the sendings that the site has, test mailings too, by id. */
export async function findSents(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownSent>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownSent>(sql`
    select s.id as "idSent", j.campaign_name || ' – ' || s.segment_name as name, j.is_test as "isTest"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job
    where s.id = any(${ids}::int[])`);
  return new Map(rows.map((row) => [row.idSent, row]));
}

/** Those of the campaigns that the site has, with their real sendings, by id. */
export async function findCampaigns(db: SiteDb, ids: readonly number[]): Promise<Map<number, KnownCampaign>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KnownCampaign>(sql`
    select c.id as "idCampaign", c.name, max(j.started_at) filter (where s.id is not null) as "lastSentAt",
      coalesce(array_agg(s.id order by s.id) filter (where s.id is not null), '{}') as "idsSent"
    from ${db.t.campaign} c
      left join ${db.t.job} j on j.id_campaign = c.id and not j.is_test
      left join ${db.t.sent} s on s.id_job = j.id
    where c.id = any(${ids}::int[])
    group by c.id`);
  return new Map(rows.map((row) => [row.idCampaign, row]));
}
