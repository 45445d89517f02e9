import { forEachSite } from '../../accounts/for-each-site.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { task } from '../../platform/tasks.ts';
import { forgetSoftBounces as forget } from '../subscription.ts';

/** Subscribers in one statement, so that other writers wait only briefly. */
const atOnce = 5_000;

/** Resets old soft bounces on every site once a day: a full mailbox of last month may work today. */
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
