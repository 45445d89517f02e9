import { countersOfSents } from '../activity/counter-store.ts';
import { type Counters, noCounters, sumCounters } from '../activity/counters.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { PageRange } from '../platform/http/schema.ts';
import { type JobCounter, type JobRecord, type JobRow, showJob } from './job-record.ts';
import { isJobColumn, type JobColumn, type JobFilter, listJobRows } from './job-row-store.ts';

/**
 * A page of jobs with their figures. Sorted by a column of the job, only the page's jobs are counted; sorted by a
 * figure, all jobs of the list are.
 */
export async function listJobRecords(
  db: SiteDb,
  filter: JobFilter,
  page: PageRange<JobColumn | JobCounter>,
): Promise<JobRecord[]> {
  const { sortBy, isDescending, start, limit } = page;
  if (isJobColumn(sortBy)) {
    const jobs = await listJobRows(db, filter, { ...page, sortBy });
    return showAll(jobs, await countersOfJobs(db, jobs));
  }
  const jobs = await listJobRows(db, filter, { sortBy: 'id_job', isDescending });
  const records = showAll(jobs, await countersOfJobs(db, jobs));
  const sign = isDescending ? -1 : 1;
  // The sort is stable: jobs with equal figures stay in the order of their ids.
  return records.sort((a, b) => sign * (a[sortBy] - b[sortBy])).slice(start, start + limit);
}

/** The figures of jobs: for each, the sum over its sendings. */
export async function countersOfJobs(
  db: SiteDb,
  jobs: readonly Pick<JobRow, 'idJob' | 'idsSent'>[],
): Promise<Map<number, Counters>> {
  const all = jobs.flatMap((job) => job.idsSent);
  const ofSents = await countersOfSents(db, all);
  const sumOf = (ids: readonly number[]) => sumCounters(ids.map((id) => ofSents.get(id) ?? noCounters));
  return new Map(jobs.map(({ idJob, idsSent }) => [idJob, sumOf(idsSent)]));
}

function showAll(jobs: readonly JobRow[], counters: ReadonlyMap<number, Counters>): JobRecord[] {
  return jobs.map((job) => showJob(job, counters.get(job.idJob) ?? noCounters));
}
