import { forEachSite } from '../../accounts/for-each-site.ts';
import { addTask, task } from '../../platform/tasks.ts';
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
        await addTask(app.control, foldSite, { idSite, waitedS: longestWaitS }, { jobKey: foldKey(idSite) });
    });
  },
});
