import { listSites } from '../../accounts/site-store.ts';
import { task } from '../../platform/jobs.ts';
import { forgetHitSources as forget } from '../hit-store.ts';

/** A spool file that was not read back within this belongs to a machine that is not coming back. */
const keptDays = 30;

/** Each run of a tracking process leaves one row on every site it stored hits for; old ones go. */
export const forgetHitSources = task({
  name: 'forgetHitSources',
  cron: '41 3 * * *',
  async run(app) {
    const before = new Date(app.clock.now().getTime() - keptDays * 86_400_000);
    for (const { name } of await listSites(app.control)) {
      const db = await app.site(name);
      if (db) await forget(db, before);
    }
  },
});
