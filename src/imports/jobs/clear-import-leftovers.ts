import { listSites } from '../../accounts/site-store.ts';
import { task } from '../../platform/jobs.ts';
import { clearLeftovers } from '../leftovers.ts';

/**
 * Removes what killed attempts left, on all sites. A run also removes it, but a site whose only import was killed and
 * then deleted may never have another run.
 */
export const clearImportLeftovers = task({
  name: 'clearImportLeftovers',
  cron: '53 * * * *',
  async run(app) {
    for (const { id } of await listSites(app.control)) {
      const db = await app.siteById(id);
      // What cannot be cleared on one site must not keep the others' tables from being dropped.
      if (db)
        await clearLeftovers(db, app.config.dataDir).catch((error) =>
          app.log.error({ err: error, idSite: id }, 'leftovers of imports'),
        );
    }
  },
});
