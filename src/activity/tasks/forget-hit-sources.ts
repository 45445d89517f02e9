import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { forgetHitSources as forget, hitSourceDays } from '../hit-store.ts';

/** Deletes old sources. Each spool file leaves a row on every site it had hits for. */
export const forgetHitSources = task({
  name: 'forgetHitSources',
  cron: '41 3 * * *',
  async run(app) {
    const before = new Date(app.clock.now().getTime() - hitSourceDays * 86_400_000);
    await forEachSite(app, 'sources of hits not deleted', (db) => forget(db, before));
  },
});
