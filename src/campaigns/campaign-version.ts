import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { lockCampaign } from './campaign-store.ts';

/** The version of a campaign; changes of its segments count. @throws as `lockCampaign`, if it is to be locked */
export async function versionOfCampaign(
  db: SiteDb,
  id: number,
  isLocked: boolean,
): Promise<string | undefined> {
  if (isLocked) await lockCampaign(db, id);
  return db.version(sql`from ${db.t.campaign} where id = ${id}`, false);
}

/** The version of the segment at a position. Lock: of its campaign, as every change of a segment takes it. */
export async function versionOfSegment(
  db: SiteDb,
  { idCampaign, segmentPosition }: { readonly idCampaign: number; readonly segmentPosition: number },
  isLocked: boolean,
): Promise<string | undefined> {
  if (isLocked) await lockCampaign(db, idCampaign);
  const [version] = await db.values<string>(sql`
    select id || '-' || xmin from ${db.t.segment} where id_campaign = ${idCampaign} and position = ${segmentPosition}`);
  return version;
}
