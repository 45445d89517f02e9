import { forEachSite } from '../../accounts/for-each-site.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { task } from '../../platform/tasks.ts';
import { forgetChanges } from '../field-change-store.ts';

/** Changes in one statement, so that it takes little time. */
const atOnce = 10_000;

/** Deletes old changes of fields on every site once a day. */
export const forgetFieldChanges = task({
  name: 'forgetFieldChanges',
  cron: '47 3 * * *',
  async run(app, _, signal) {
    const forgetAll = async (db: SiteDb) => {
      while (!signal.aborted && (await forgetChanges(db, app.clock.now(), atOnce)) === atOnce);
    };
    await forEachSite(app, 'changes of fields not deleted', forgetAll, signal);
  },
});
