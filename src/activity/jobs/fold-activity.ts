import { listSites } from '../../accounts/site-store.ts';
import type { App } from '../../platform/app.ts';
import { addJob, task } from '../../platform/jobs.ts';
import { hasUnfolded } from '../fold-store.ts';
import { foldKey, foldSite, longestWaitS } from './fold-site.ts';

/** Aggregates the activity of every site that has new events. */
export const foldActivity = task({
  name: 'foldActivity',
  cron: '* * * * *',
  async run(app) {
    for (const { id } of await listSites(app.control)) {
      // One site that cannot be looked at must not keep the others from being folded.
      await askFor(app, id).catch((error) => app.log.error({ err: error, idSite: id }, 'not folded'));
    }
  },
});

async function askFor(app: App, idSite: number): Promise<void> {
  const db = await app.siteById(idSite);
  if (!db || !(await hasUnfolded(db))) return;
  await addJob(app.control, foldSite, { idSite, waitedS: longestWaitS }, { jobKey: foldKey(idSite) });
}
