import type { CampaignInput } from '../campaigns/campaign.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { generateJobTask, type JobState } from '../sending/job.ts';
import { makeCampaign, makeSegment, makeTarget } from './campaign-makers.ts';

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
