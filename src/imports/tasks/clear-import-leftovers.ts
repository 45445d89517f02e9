import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { forgetOldPeople } from '../import-people-store.ts';
import { clearLeftovers } from '../leftovers.ts';

/**
 * Removes what killed attempts left, on all sites: a site with only a killed, deleted import runs no other one. Forgets
 * the people of old runs.
 */
export const clearImportLeftovers = task({
  name: 'clearImportLeftovers',
  cron: '53 * * * *',
  async run(app) {
    await forEachSite(app, 'import cleanup failed', async (db) => {
      await clearLeftovers(db, app.config.dataDir);
      await forgetOldPeople(db, app.clock.now());
    });
  },
});
