import type { App } from '../platform/app.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Task, task } from '../platform/tasks.ts';
import { forEachSite } from './for-each-site.ts';

/** Records of a site that wait for a task of which the queue has no job. */
export interface LostTasks<Lost extends object> {
  readonly name: string;
  /** Finds them in one statement: what a record says and what the queue holds are of one moment (jobsOf). */
  find(db: SiteDb): Promise<readonly Lost[]>;
  /** Adds the job of one that was found, in the transaction that has found it. */
  add(tx: SiteDb, lost: Lost): Promise<void>;
}

/**
 * A task that, each minute and on all sites, adds the jobs that were lost: deleted from the queue, or with processes
 * killed at every attempt. Records and jobs are written in one transaction, so a record between two steps is not taken
 * for lost. Should a job exist twice, the tasks themselves do nothing twice.
 */
export function lostTaskFinder<Lost extends object>(of: LostTasks<Lost>): Task {
  return task({
    name: of.name,
    cron: '* * * * *',
    async run(app, _payload, signal) {
      await forEachSite(app, `${of.name} failed`, (db) => addLost(app, db, of), signal);
    },
  });
}

/** Looks without a lock first: hardly ever is anything lost. */
async function addLost<Lost extends object>(app: App, db: SiteDb, of: LostTasks<Lost>): Promise<void> {
  if ((await of.find(db)).length === 0) return;
  const added = await db.transaction(async (tx) => {
    // Another process that looks at the same time finds what this one adds.
    await tx.run(advisoryLock(`${of.name} ${tx.site.schema}`));
    const found = await of.find(tx);
    for (const lost of found) await of.add(tx, lost);
    return found;
  });
  for (const lost of added)
    app.log.error({ site: db.site.name, task: of.name, lost }, 'a task was lost: it is added again');
}
