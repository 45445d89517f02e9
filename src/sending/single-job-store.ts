import type { SingleFacts } from '../campaigns/readiness.ts';
import { refuseWhileHeld } from '../installation/installation-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { domainOf } from '../platform/email-address.ts';
import { addSents, keepSendings } from './freeze-audience.ts';
import { judgeMessages } from './freeze-messages.ts';
import type { FrozenJob } from './frozen-job.ts';
import { frozenJob } from './job-store.ts';

/** The job of the single messages of one version of a campaign on one day. */
export interface SingleJob {
  readonly idJob: number;
  readonly idSent: number;
  readonly frozen: FrozenJob;
}

/** What a job of single messages is known by, and made of. */
export interface SingleJobOf {
  /** In Paris, ISO 8601. */
  readonly day: string;
  /** Digest of all that the messages are made of. */
  readonly version: string;
  readonly at: Date;
  freeze(idJob: number, idSent: number): FrozenJob;
}

/**
 * The job of single messages, which is added with its sent when it is the first of them. It has no audience: its state
 * is final from the beginning, so that no schedule and no engine looks at it, and its range only counts. The
 * campaign is locked.
 * @throws 409 while sending is held
 */
export async function addSingleJob(
  tx: SiteDb,
  { campaign, segments }: SingleFacts,
  { day, version, at, freeze }: SingleJobOf,
): Promise<SingleJob> {
  const known = await tx.first<{ idJob: number; idSent: number }>(sql`
    select j.id as "idJob", s.id as "idSent"
    from ${tx.t.job} j join ${tx.t.sent} s on s.id_job = j.id
    where j.id_campaign = ${campaign.id} and j.single_day = ${day}::date and j.single_version = ${version}`);
  if (known) return { ...known, frozen: await frozenJob(tx, known.idJob) };
  await refuseWhileHeld(tx);
  const { id: idJob } = await tx.one<{ id: number }>(sql`
    insert into ${tx.t.job} (id_campaign, is_test, state, author, campaign_name, subject, created_at, scheduled_at,
      started_at, ended_at, nb_segments, single_day, single_version)
    values (${campaign.id}, false, 'Finished', ${campaign.authorName}, ${campaign.parameters.name},
      ${campaign.parameters.subject}, ${at}, ${at}, ${at}, ${at}, 1, ${day}::date, ${version})
    returning id`);
  await keepSendings(tx, campaign.id, segments);
  const sents = segments.map((segment) => ({ segment, filterName: '', startedAt: at }));
  const idSent = (await addSents(tx, { id: idJob, idCampaign: campaign.id }, sents))[0]!;
  const frozen = freeze(idJob, idSent);
  await tx.run(sql`
    update ${tx.t.job}
    set frozen = ${JSON.stringify(frozen)}::jsonb, sender_domain = ${domainOf(frozen.source.from.email)},
      nb_links = ${judgeMessages(frozen).nbLinks}
    where id = ${idJob}`);
  await tx.run(sql`
    insert into ${tx.t.recipient_range} (id_job, number, id_sent, subscribers, is_done)
    values (${idJob}, 1, ${idSent}, '{}', true)`);
  return { idJob, idSent, frozen };
}
