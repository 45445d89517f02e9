import { listSites } from '../../accounts/site-store.ts';
import { task } from '../../platform/jobs.ts';
import { forgetHitSources as forget, hitSourceDays } from '../hit-store.ts';

/** Each file of a spool leaves one row on every site it had hits for; old ones go. */
export const forgetHitSources = task({
  name: 'forgetHitSources',
  cron: '41 3 * * *',
  async run(app) {
    const before = new Date(app.clock.now().getTime() - hitSourceDays * 86_400_000);
    for (const { id } of await listSites(app.control)) {
      const db = await app.siteById(id);
      // One site that is damaged must not keep the others' rows for ever.
      if (db)
        await forget(db, before).catch((error) =>
          app.log.error({ err: error, idSite: id }, 'sources of hits not forgotten'),
        );
    }
  },
});
