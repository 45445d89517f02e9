import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { forgetKeys, forgetParts } from '../single-message-store.ts';

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
    await forEachSite(app, 'single messages not deleted', async (db) => {
      await forgetKeys(db, new Date(now - keysKeptMs));
      await forgetParts(db, new Date(now - partsKeptMs));
    });
  },
});
