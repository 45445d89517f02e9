import { getCampaign } from '../src/campaigns/campaign-store.ts';
import { storeLinks } from '../src/campaigns/tracked-link-store.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { makeCampaign } from '../src/testing/campaign-makers.ts';
import { addRelay } from '../src/testing/sending-tester.ts';
import { html, subject, text } from './newsletter.ts';

/** Gives a site a relay, subscribers and a campaign; its id. `isDynamic`: each message has the text of its call. */
export async function makeNewsletter(
  db: SiteDb,
  { port, connections, subscribers }: { port: number; connections: number; subscribers: number },
  isDynamic = false,
): Promise<number> {
  await addRelay(db, port, { maxConnections: connections });
  await db.run(sql`
    insert into ${db.t.subscriber} (fld1, fld5, fld40)
    select 'r' || n || '@example.org', 'Zoé ' || n, 75000 + n % 20 from generate_series(1, ${subscribers}::int) n`);
  await db.run(sql`analyze ${db.t.subscriber}`);
  const idCampaign = await makeCampaign(db, {
    htmlContent: isDynamic ? html.replace('<body>', '<body><p>[[DATA.order]]</p>') : html,
    textContent: text,
    parameters: { name: 'Bench', subject, hasTextMessage: true, ...(isDynamic && { mode: 'Dynamic' }) },
  });
  await db.transaction(async (tx) => {
    await storeLinks(tx, await getCampaign(tx, idCampaign), new Date(), { all: true });
  });
  return idCampaign;
}
