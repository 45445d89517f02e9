import { expect } from 'vitest';
import type { CampaignInput } from '../campaigns/campaign.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { generateJobTask, type JobState } from '../sending/job.ts';
import { generateJob } from '../sending/tasks/generate-job.ts';
import { setFilter } from '../targets/filter-store.ts';
import type { TestApp } from './app.ts';
import { makeCampaign, makeSegment, makeTarget } from './campaign-makers.ts';
import { Hold } from './hold.ts';
import { putFile } from './site-files.ts';

/** A campaign that is ready to be sent to everybody; its id. `input` is laid over it. */
export async function makeReadyCampaign(db: SiteDb, input: Partial<CampaignInput> = {}): Promise<number> {
  const idCampaign = await makeCampaign(db, input);
  await makeSegment(db, idCampaign, { idTarget: await makeTarget(db) });
  return idCampaign;
}

export interface JobNow {
  readonly id: number;
  readonly state: JobState;
  readonly isTest: boolean;
  readonly idSegment: number | null;
  readonly scheduledAt: Date;
  readonly campaignState: string;
}

/** The jobs of a campaign, oldest first, and the campaign's own state. */
export async function jobsOf(db: SiteDb, idCampaign: number): Promise<JobNow[]> {
  return db.rows<JobNow & Record<string, unknown>>(sql`
    select j.id, j.state, j.is_test as "isTest", j.id_segment as "idSegment", j.scheduled_at as "scheduledAt",
      c.schedule_state as "campaignState"
    from ${db.t.campaign} c join ${db.t.job} j on j.id_campaign = c.id
    where c.id = ${idCampaign}
    order by j.id`);
}

/** The tasks that wait to generate a job. */
export async function waitingTasks(db: SiteDb, idJob: number): Promise<{ runAt: Date }[]> {
  return db.rows<{ runAt: Date }>(sql`
    select j.run_at as "runAt"
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${generateJobTask} and (j.payload ->> 'idJob')::int = ${idJob}
      and (j.payload ->> 'idSite')::int = ${db.site.id}`);
}

/** Whether the engine knows that the job has work. */
export async function isOffered(db: SiteDb, idJob: number): Promise<boolean> {
  const rows = await db.rows(sql`
    select from facteur.sending_job where id_site = ${db.site.id} and id_job = ${idJob}`);
  return rows.length > 0;
}

/** Marks a job as frozen with a content, as the generation does. */
export async function freezeJob(db: SiteDb, idJob: number, html = '<p>Hello</p>'): Promise<void> {
  const frozen = JSON.stringify({ source: { html, text: '' } });
  await db.run(sql`update ${db.t.job} set frozen = ${frozen}::jsonb where id = ${idJob}`);
}

/** A job that was requested, and what its task does with it. */
export interface Programmed {
  readonly idJob: number;
  /** @param signal as of a service that ends */
  generate(signal?: AbortSignal): Promise<void>;
}

/** The last job of a campaign, and its generation. */
export async function lastJob(t: TestApp, idCampaign: number): Promise<Programmed> {
  const idJob = (await jobsOf(t.db, idCampaign)).at(-1)!.id;
  const payload = { idSite: t.db.site.id, idJob };
  const generate = (signal = new AbortController().signal) => generateJob.run(t.app, payload, signal);
  return { idJob, generate };
}

/** Asks to have a campaign sent now. */
export async function programmed(t: TestApp, idCampaign: number): Promise<Programmed> {
  expect((await t.call('POST', '/campaigns/send-now', { body: idCampaign })).error).toBe(null);
  return lastJob(t, idCampaign);
}

/** Holds generations where the sendings of a job are made: behind its judgement, before its audience. */
export const holdSents = (t: TestApp): Promise<Hold> =>
  Hold.of(t.connection, `lock table ${t.db.site.schema}.sent in exclusive mode`);

/** Holds generations where the audience is frozen, but no statement that only ends or reads a job. */
export const holdRanges = (t: TestApp): Promise<Hold> =>
  Hold.of(t.connection, `lock table ${t.db.site.schema}.recipient_range in exclusive mode`);

/**
 * Sets a filter with a new file of ids (one a line) on a target, and holds generations where they load that file: they
 * have no transaction in the meantime.
 */
export async function holdFileLoad(t: TestApp, idTarget: number, ids: string): Promise<Hold> {
  const filename = `readers-${idTarget}.csv`;
  putFile(t, filename, ids);
  const definition = { filename, dbFieldName: 'fld0', fileAutomaticDeletionDate: '2027-01-01T00:00:00Z' };
  await setFilter(t.db, { idTarget, kind: 'file', isEnabled: true, definition });
  return Hold.of(t.connection, `lock table ${t.db.site.schema}.filter_file_value in exclusive mode`);
}
