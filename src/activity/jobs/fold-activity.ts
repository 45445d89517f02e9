import { forEachSite } from '../../accounts/for-each-site.ts';
import { addJob, task } from '../../platform/jobs.ts';
import { hasUnfolded } from '../fold-store.ts';
import { foldKey, foldSite, longestWaitS } from './fold-site.ts';

/** Aggregates the activity of every site that has new events. */
export const foldActivity = task({
  name: 'foldActivity',
  cron: '* * * * *',
  async run(app) {
    await forEachSite(app, 'aggregation not scheduled', async (db) => {
      const idSite = db.site.id;
      if (await hasUnfolded(db))
        await addJob(app.control, foldSite, { idSite, waitedS: longestWaitS }, { jobKey: foldKey(idSite) });
    });
  },
});
