import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { clearLeftovers } from '../leftovers.ts';

/**
 * Removes what killed attempts left, on all sites. A run also removes it, but a site whose only import was killed and
 * then deleted may never have another run.
 */
export const clearImportLeftovers = task({
  name: 'clearImportLeftovers',
  cron: '53 * * * *',
  async run(app) {
    await forEachSite(app, 'import cleanup failed', (db) => clearLeftovers(db, app.config.dataDir));
  },
});
