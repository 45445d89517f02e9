import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { clearLeftovers } from '../leftovers.ts';

/**
 * Removes what killed attempts left, on all sites: a site with only a killed, deleted import runs no other one.
 */
export const clearImportLeftovers = task({
  name: 'clearImportLeftovers',
  cron: '53 * * * *',
  async run(app) {
    await forEachSite(app, 'import cleanup failed', (db) => clearLeftovers(db, app.config.dataDir));
  },
});
