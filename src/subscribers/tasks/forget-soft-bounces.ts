import { forEachSite } from '../../accounts/for-each-site.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { task } from '../../platform/tasks.ts';
import { forgetSoftBounces as forget } from '../subscription.ts';

/** Subscribers in one statement: others wait for none of them for long. */
const atOnce = 5_000;

/** Once a day, on every site: a full mailbox of last month says nothing about today. */
export const forgetSoftBounces = task({
  name: 'forgetSoftBounces',
  cron: '23 4 * * *',
  async run(app, _, signal) {
    const forgetAll = async (db: SiteDb) => {
      while (!signal.aborted && (await forget(db, app.clock.now(), atOnce)) === atOnce);
    };
    await forEachSite(app, 'soft bounces not deleted', forgetAll, signal);
  },
});
