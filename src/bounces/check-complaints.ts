import { sitesWithAlerts } from '../alerts/alert-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { addTask, task } from '../platform/tasks.ts';
import { judgeComplaints } from './judge-complaints.ts';

/** Complaints come in bursts; those within this time are judged together. */
const afterMs = 10_000;

/** Judges the complaints of a site soon after a new one. */
export const checkComplaints = task<{ idSite: number }>({
  name: 'checkComplaints',
  async run(app, { idSite }) {
    const db = await app.siteById(idSite);
    if (db) await judgeComplaints(app, db);
  },
});

/** Judges the sites with an open alert again: a rate falls as time passes, and an unlocked alert ends. */
export const reviewAlerts = task({
  name: 'reviewAlerts',
  cron: '*/2 * * * *',
  async run(app, _, signal) {
    for (const idSite of await sitesWithAlerts(app.control)) {
      if (signal.aborted) return;
      const db = await app.siteById(idSite);
      // A site that cannot be read must not keep the others suspended.
      if (db)
        await judgeComplaints(app, db).catch((error) =>
          app.log.error({ err: error, idSite }, 'complaints could not be judged'),
        );
    }
  },
});

/** Schedules the check of a site's complaints, in the transaction that records one. */
export async function addComplaintCheck(tx: SiteDb, at: Date): Promise<void> {
  const idSite = tx.site.id;
  const spec = { runAt: new Date(at.getTime() + afterMs), jobKey: `complaints ${idSite}` };
  await addTask(tx, checkComplaints, { idSite }, { ...spec, jobKeyMode: 'preserve_run_at' });
}
