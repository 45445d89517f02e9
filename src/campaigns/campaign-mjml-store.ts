import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { found } from '../platform/http/refusal.ts';
import type { CampaignMjml } from './campaign-mjml.ts';

/** The digest of the HTML of the campaign aliased `c`. */
const digest: Sql = sql`sha256(convert_to(c.html_content, 'UTF8'))`;

/** The MJML of a campaign; empty if none is stored. @throws 404 */
export async function mjmlOf(db: SiteDb, idCampaign: number): Promise<CampaignMjml> {
  const row = await db.first<CampaignMjml>(sql`
    select coalesce(m.mjml, '') as mjml, coalesce(m.html_digest = ${digest}, false) as "isCurrent"
    from ${db.t.campaign} c
      left join ${db.t.campaign_mjml} m on m.id_campaign = c.id
    where c.id = ${idCampaign}`);
  return found(row, 'Campaign');
}

/** Stores the MJML that the present HTML of a campaign was made from. */
export async function storeMjml(tx: SiteDb, idCampaign: number, mjml: string): Promise<void> {
  await tx.run(sql`
    insert into ${tx.t.campaign_mjml} (id_campaign, mjml, html_digest)
    select c.id, ${mjml}, ${digest} from ${tx.t.campaign} c where c.id = ${idCampaign}
    on conflict (id_campaign) do update set mjml = excluded.mjml, html_digest = excluded.html_digest`);
}
