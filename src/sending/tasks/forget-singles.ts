import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { forgetKeys, forgetParts } from '../single-message-store.ts';

const hourMs = 3_600_000;
/** Time within which a caller may repeat a call. */
const keysKeptMs = 24 * hourMs;
/** Time for which the web version shows a message's own parts, which are personal data. */
const partsKeptMs = 30 * 24 * hourMs;

/** Deletes idempotency keys after 24 hours, and the own parts of single messages 30 days after their end. */
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
