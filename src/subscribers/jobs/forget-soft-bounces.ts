import { listSites } from '../../accounts/site-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { task } from '../../platform/jobs.ts';
import { forgetSoftBounces as forget } from '../subscription.ts';

/** Subscribers in one statement: others wait for none of them for long. */
const atOnce = 5_000;

/** Once a day, on every site: a full mailbox of last month says nothing about today. */
export const forgetSoftBounces = task({
  name: 'forgetSoftBounces',
  cron: '23 4 * * *',
  async run(app, _, signal) {
    for (const { id } of await listSites(app.control)) {
      const db = await app.siteById(id);
      // One site that cannot be written to must not keep the others' subscribers from mail for ever.
      if (db)
        await forgetOn(db, app.clock.now(), signal).catch((error) =>
          app.log.error({ err: error, idSite: id }, 'soft bounces not forgotten'),
        );
    }
  },
});

async function forgetOn(db: SiteDb, now: Date, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await forget(db, now, atOnce)) === atOnce);
}
