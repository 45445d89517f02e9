import { receiptStates } from '../activity/receipt.ts';
import { abTestOf } from '../campaigns/ab-test.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { Segment } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import { mayReceive } from '../subscribers/eligibility.ts';
import { type Job, liveStates } from './job.ts';

/** The recipients of a resend: those of the job `resendOf` that neither it nor an earlier resend reached. */
export type Resend = Pick<Job, 'resendsUncertain'> & { readonly resendOf: number };

/** Whether a job resends to the failed recipients of another one. */
export function isResend<J extends Pick<Job, 'resendOf'>>(job: J): job is J & { readonly resendOf: number } {
  return job.resendOf !== null;
}

/**
 * The resend that a caller requests by naming the campaign's latest job. A repeated call is therefore rejected once the
 * first one has a job of its own. The campaign is locked.
 * @param idJob the latest real job of the campaign that has recipients; it may be a resend
 * @throws 409 when it is another job, or a job that has open recipients
 */
export async function resendAfter(
  tx: SiteDb,
  idCampaign: number,
  idJob: number,
  resendsUncertain: boolean,
): Promise<Resend> {
  const last = await tx.first<{ id: number; resendOf: number | null; isOpen: boolean }>(sql`
    select j.id, j.resend_of as "resendOf",
      exists (select from ${tx.t.recipient_range} r where r.id_job = j.id and not r.is_done) as "isOpen"
    from ${tx.t.job} j
    where j.id_campaign = ${idCampaign} and not j.is_test and j.single_version is null
      and j.state <> all(${liveStates}::text[])
      and exists (select from ${tx.t.recipient_range} r where r.id_job = j.id)
    order by j.id desc
    limit 1`);
  if (!last) throw conflict(`idJob: job ${idJob} has no recipients; the campaign has not been sent`);
  if (last.id !== idJob)
    throw conflict(`idJob: ${idJob} is not the latest job of the campaign; its latest job is ${last.id}`);
  if (last.isOpen)
    throw conflict(`idJob: job ${idJob} still has recipients without a final state; try again in a moment`);
  return { resendOf: last.resendOf ?? last.id, resendsUncertain };
}

/**
 * Recipients of a resend as a query that gives (fld0, id_segment). The first job refused or expired them (or left them
 * uncertain, if requested), they are still eligible, and no later resend has reached them or may have. Receipts of jobs
 * that have ended never change, so a repeated generation selects the same recipients.
 */
function failedRecipients(tx: SiteDb, { resendOf, resendsUncertain }: Resend): Sql {
  const { accepted, refused, expired, uncertain } = receiptStates;
  const wanted = [refused, expired, ...(resendsUncertain ? [uncertain] : [])];
  const reached = [accepted, ...(resendsUncertain ? [] : [uncertain])];
  const receiptsOf = (jobs: Sql, states: readonly number[]) => sql`
    select one.id_subscriber, g.id_segment
    from ${tx.t.job} j
      join ${tx.t.sent} s on s.id_job = j.id
      join ${tx.t.sending} g on g.id = s.id_sending
      join ${tx.t.receipt_range} r on r.id_sent = s.id and r.states && ${states}::smallint[],
      unnest(r.subscribers, r.states) one (id_subscriber, state)
    where ${jobs} and one.state = any(${states}::smallint[])`;
  return sql`
    select m.fld0, failed.id_segment
    from (${receiptsOf(sql`j.id = ${resendOf}`, wanted)}) failed
      join ${tx.t.subscriber} m on m.fld0 = failed.id_subscriber
    where ${mayReceive()} and not exists (
      select from (${receiptsOf(sql`j.resend_of = ${resendOf}`, reached)}) later
      where later.id_subscriber = m.fld0)`;
}

/** @throws 409 when no recipient is left, or when the segment of a recipient was deleted or excluded since */
export async function checkResend(tx: SiteDb, resend: Resend, segments: readonly Segment[]): Promise<void> {
  const rows = await tx.rows<{ idSegment: number; name: string; recipients: number }>(sql`
    select f.id_segment as "idSegment", min(g.name) as name, count(*)::int as recipients
    from (${failedRecipients(tx, resend)}) f
      join ${tx.t.job} j on j.id = ${resend.resendOf}
      join ${tx.t.sending} g on g.id_campaign = j.id_campaign and g.id_segment = f.id_segment
    group by f.id_segment
    order by f.id_segment`);
  const who = resend.resendsUncertain ? 'failed, expired or uncertain' : 'failed or expired';
  if (rows.length === 0)
    throw conflict(`idJob: no ${who} recipient of job ${resend.resendOf} is left who may receive messages`);
  const sending = new Set(segments.flatMap(({ id, parameters }) => (parameters.isExcluded ? [] : [id])));
  const gone = rows.find(({ idSegment }) => !sending.has(idSegment));
  if (gone)
    throw conflict(
      `idJob: ${gone.recipients} recipients belong to segment '${gone.name}', which the campaign no longer sends to; ` +
        'add them to a target of their own instead',
    );
}

/** The audience of a resend as a query that gives (fld0, position). @throws 409, as `checkResend` */
export async function resendAudience(tx: SiteDb, resend: Resend, segments: readonly Segment[]): Promise<Sql> {
  await checkResend(tx, resend, segments);
  const ids = segments.map(({ id }) => id);
  const positions = segments.map(({ position }) => position);
  return sql`
    select f.fld0, p.position
    from (${failedRecipients(tx, resend)}) f
      join unnest(${ids}::int[], ${positions}::int[]) p (id_segment, position) on p.id_segment = f.id_segment`;
}

/**
 * Returns the decision of the A/B test in the job that is resent, by the sendings in the resend (`idSent`): the
 * remainder's recipients get the winner's message at once. Undefined when it decided nothing. Then the remainder was
 * never sent, and no recipient of it has failed.
 */
export async function decidedTest(
  tx: SiteDb,
  { resendOf }: Resend,
  campaign: Campaign,
  sents: readonly { readonly segment: Segment; readonly idSent: number }[],
) {
  const segments = sents.map(({ segment }) => segment);
  const abTest = abTestOf(campaign, segments);
  if (!abTest) return undefined;
  const winner = await tx.first<{ idSegment: number }>(sql`
    select g.id_segment as "idSegment"
    from ${tx.t.ab_test} a
      join ${tx.t.sent} s on s.id = a.id_winner
      join ${tx.t.sending} g on g.id = s.id_sending
    where a.id_job = ${resendOf}`);
  const idSentOf = (idSegment: number | undefined) =>
    sents.find(({ segment }) => segment.id === idSegment)?.idSent;
  const idRemainder = idSentOf(abTest.remainder?.id);
  const idWinner = idSentOf(winner?.idSegment);
  if (idRemainder === undefined || idWinner === undefined || idRemainder === idWinner) return undefined;
  return { type: abTest.type, idRemainder, idWinner };
}
