import { listSites } from '../../accounts/site-store.ts';
import { task } from '../../platform/jobs.ts';
import { forgetKeys, forgetParts } from '../single-send-store.ts';

const hourMs = 3_600_000;
/** A caller that repeats a call does so within this time. */
const keysKeptMs = 24 * hourMs;
/** What a message was made of is shown by its web version for this time; it holds data of one person. */
const partsKeptMs = 30 * 24 * hourMs;

/** Forgets idempotency keys after 24 hours, and what single messages were made of 30 days after they ended. */
export const forgetSingles = task({
  name: 'forgetSingles',
  cron: '17 * * * *',
  async run(app) {
    const now = app.clock.now().getTime();
    for (const { id } of await listSites(app.control)) {
      const db = await app.siteById(id);
      if (!db) continue;
      // One site that is damaged must not keep the others' rows for ever.
      await forgetKeys(db, new Date(now - keysKeptMs))
        .then(() => forgetParts(db, new Date(now - partsKeptMs)))
        .catch((error) => app.log.error({ err: error, idSite: id }, 'single messages not forgotten'));
    }
  },
});
