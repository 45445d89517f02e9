import { sql } from '../../platform/db/sql.ts';
import { addTask, task } from '../../platform/tasks.ts';
import { batchIsFull, type Folded, foldActivity } from '../fold-store.ts';

/** Facts that may wait: looking up the other hits of that many readers costs a filter about 60 ms. */
const mayWait = 5_000;
const shortestWaitS = 2;
/** The interval of `foldActivity`, which finds sites with few facts. */
export const longestWaitS = 60;

/**
 * Seconds until the next aggregation, so that about `mayWait` facts will have come by then; undefined if `foldActivity`
 * runs before that.
 */
export function nextFoldAfter(facts: number, waitedS: number): number | undefined {
  const wait = facts > 0 ? (waitedS * mayWait) / facts : Number.POSITIVE_INFINITY;
  return wait >= longestWaitS ? undefined : Math.max(shortestWaitS, wait);
}

/** Aggregates the new facts of a site, and schedules itself again at the site's own pace. */
export const foldSite = task<{ idSite: number; waitedS: number }>({
  name: 'foldSite',
  async run(app, { idSite, waitedS }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    let facts = 0;
    let folded: Folded;
    do {
      folded = await foldActivity(db);
      facts += folded.hits + folded.receipts;
    } while (batchIsFull(folded) && !signal.aborted);
    // Moved rows leave free space that each reader would scan; the table is small, so this is quick.
    if (facts > 0) await db.run(sql`vacuum (skip_locked) ${db.t.hit_batch}`);
    const next = nextFoldAfter(facts, waitedS);
    if (next === undefined) return;
    const runAt = new Date(app.clock.now().getTime() + next * 1_000);
    await addTask(app.control, foldSite, { idSite, waitedS: next }, { runAt, jobKey: foldKey(idSite) });
  },
});

export const foldKey = (idSite: number) => `fold ${idSite}`;
