import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { jobsOf } from '../platform/jobs.ts';
import { addGeneration, createJob, type NewJob } from './job-store.ts';
import { generateJob } from './jobs/generate-job.ts';

/** Adds a job and the task that generates it, in the caller's transaction; the job's id. @throws 409 (see createJob) */
export async function startJob(tx: SiteDb, job: NewJob, at: Date): Promise<number> {
  const idJob = await createJob(tx, job, at);
  await addGeneration(tx, idJob, job.scheduledAt);
  return idJob;
}

/** Jobs that are to be generated, or are being, and of which the queue has no task that would do it, by id. */
export async function lostGenerations(db: SiteDb): Promise<{ idJob: number; scheduledAt: Date }[]> {
  return db.rows<{ idJob: number; scheduledAt: Date }>(sql`
    select id as "idJob", scheduled_at as "scheduledAt" from ${db.t.job}
    where state in ('Programmed', 'Generating') and not exists (
      select from ${jobsOf(generateJob)} task
      where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idJob')::int = id)
    order by id`);
}
