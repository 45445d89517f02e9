import { listSites } from '../../accounts/site-store.ts';
import { task } from '../../platform/jobs.ts';
import { addGeneration, lostGenerations } from '../start-job.ts';

/**
 * Has jobs generated whose task is not in the queue any more: somebody deleted it, or processes were killed at each of
 * its tries. One that was killed in the midst of it is found Generating, and begun anew.
 * What is taken up more than an hour late is missed there, as ever: nothing is tried for longer.
 */
export const findLostGenerations = task({
  name: 'findLostGenerations',
  cron: '* * * * *',
  async run(app, _payload, signal) {
    for (const { id: idSite } of await listSites(app.control)) {
      const db = await app.siteById(idSite);
      if (!db || signal.aborted) continue;
      for (const { id: idJob, scheduledAt } of await lostGenerations(db)) {
        app.log.error(
          { site: db.site.name, idJob },
          'the task that generates a job was lost: it is added again',
        );
        await addGeneration(db, idJob, scheduledAt);
      }
    }
  },
});
