import { abTestOf } from '../../campaigns/ab-test.ts';
import { audienceOf, testAudienceOf } from '../../campaigns/audience.ts';
import type { Campaign } from '../../campaigns/campaign.ts';
import { checkTesters } from '../../campaigns/campaign-rules.ts';
import { waitForCampaign } from '../../campaigns/campaign-store.ts';
import { type Placing, showPlacings } from '../../campaigns/placing.ts';
import { type Judged, readinessOf } from '../../campaigns/readiness.ts';
import type { Segment } from '../../campaigns/segment.ts';
import { setLastCounts } from '../../campaigns/segment-store.ts';
import { checkSendable } from '../../campaigns/sendable.ts';
import { linksForMessages } from '../../campaigns/tracked-link-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { currentHold } from '../../platform/installation/installation-store.ts';
import { task } from '../../platform/jobs.ts';
import { domainOf } from '../../subscribers/email-address.ts';
import { evaluating, selecting, TimeLimit } from '../../targets/evaluation.ts';
import { withLoadedFiles } from '../../targets/file-loads.ts';
import { findTarget } from '../../targets/target-store.ts';
import { addAbTest } from '../ab-test-store.ts';
import { addSents, freezeAudience } from '../freeze-audience.ts';
import { freezeMessages, judgeMessages, type MessageFacts } from '../freeze-messages.ts';
import { allSentsOf, type FrozenJob } from '../frozen-job.ts';
import { pauseHeldJob } from '../hold-jobs.ts';
import { generateJobTask, type Job } from '../job.ts';
import { findJob, offerJob, tellHindrance, tryMoveJob } from '../job-store.ts';
import { checkReachable, readerAddressOf } from '../reader-address.ts';
import { sentsOfJob } from '../sent-store.ts';
import { testTargetOf } from '../test-target.ts';

/** A run that starts later than this after its time is missed: nobody expects it any more. */
const missedAfterMs = 3_600_000;
/** An audience is frozen in this time, or the job ends and says that its targets are too slow. */
const freezingMs = 600_000;

/**
 * Generates a job: freezes its audience and its messages and hands it to the engine, all in one transaction. Run
 * again after a crash it finds the job as it was before, or generated; a job that was paused or stopped meanwhile is
 * left alone.
 */
export const generateJob = task<{ idSite: number; idJob: number }>({
  name: generateJobTask,
  async run(app, { idSite, idJob }) {
    const db = await app.siteById(idSite);
    const job = db && (await findJob(db, idJob));
    if (!db || job?.state !== 'Programmed') return;
    const hold = await currentHold(app.control);
    if (hold) return void (await pauseHeldJob(db, idJob, hold));
    const at = app.clock.now();
    try {
      if (at.getTime() - job.scheduledAt.getTime() > missedAfterMs) await miss(db, job, at);
      else await withLoadedFiles(() => selecting(db, (tx) => generate(app, tx, job, at)), null);
    } catch (error) {
      // What is wrong with the campaign itself does not mend by trying again; anything else is tried again, also what
      // is only away (the repository of a file filter).
      if (!(error instanceof Refusal) || error.code === 'unavailable') {
        // Where the job's users look; the log has the error itself. With the database away nobody could be told.
        await tellHindrance(db, job.id, 'It could not be generated and is tried again').catch(
          () => undefined,
        );
        throw error;
      }
      app.log.warn({ idSite, idJob, reason: error.message }, 'a job cannot be generated');
      await tryMoveJob(db, job.id, ['Programmed'], 'Error', { endedAt: at, errorInfo: error.message });
    }
  },
});

async function miss(db: SiteDb, job: Job, at: Date): Promise<void> {
  const missed = `Missed: it was to start at ${job.scheduledAt.toISOString()}, more than an hour ago`;
  const errorInfo = [missed, job.errorInfo].filter(Boolean).join('. ');
  await tryMoveJob(db, job.id, ['Programmed'], 'Error', { endedAt: at, errorInfo, campaignState: 'Missed' });
}

async function generate(app: App, tx: SiteDb, job: Job, at: Date): Promise<void> {
  // Locks the campaign before the job, as everybody does; what the messages are made of stands still from here on.
  const campaign = await waitForCampaign(tx, job.idCampaign);
  if (!(await tryMoveJob(tx, job.id, ['Programmed'], 'Generating', { startedAt: at }))) return;
  if (job.errorInfo !== null) await tellHindrance(tx, job.id, null);
  // Until now it could be changed, also into one that is never sent from here.
  checkSendable(campaign);
  if (!job.isTest) await checkReachable(app, tx.site.id);
  // Its targets are judged by using them, below.
  const judged = await readinessOf(tx, campaign, []);
  refuseFor(job.isTest ? judged.testProblems : judged.problems);
  const segments = segmentsOf(judged, job);
  const sending = segments.filter(({ parameters }) => job.isTest || !parameters.isExcluded);
  if (sending.length === 0) throw new Refusal(422, 'refused', 'no segment to send to');
  // A test mailing waits for no winner: it shows the remainder as its segment says.
  const abTest = job.isTest ? undefined : abTestOf(campaign, segments);
  const sents = await newSents(tx, job, sending, abTest?.remainder, at);
  const idRemainder = sents.find(({ segment }) => segment === abTest?.remainder)?.idSent;
  const frozen = await freeze(app, tx, judged, { job, segments: sents, idRemainder, at });
  const { problems, nbLinks } = judgeMessages(frozen);
  refuseFor(problems);
  const limit = new TimeLimit(freezingMs);
  const audience = await audienceFor({ app, tx, job, campaign, segments, at, limit });
  const total = await evaluating(tx, limit, () => freezeAudience(tx, job.id, audience, idRemainder));
  // Counted anew: since the call its target may have become one of everybody.
  if (job.isTest) checkTesters(total / sending.length);
  else await keepCounts(tx, job, segments);
  await keep(tx, job, frozen, { nbLinks, placings: judged.placings });
  if (abTest && idRemainder !== undefined) await addAbTest(tx, job.id, idRemainder, abTest.type);
  if (total === 0) await finishEmpty(tx, job, at);
  else {
    await tryMoveJob(tx, job.id, ['Generating'], 'Sending', { triedAt: at });
    await offerJob(tx, job.id);
  }
}

function refuseFor(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(422, 'refused', problems.join('; '));
}

/** A test mailing may be of one segment, and then it is sent even if that segment was excluded since. */
function segmentsOf({ segments }: Judged, job: Job): readonly Segment[] {
  if (!job.isTest) return segments;
  return segments.filter((one) =>
    job.idSegment === null ? !one.parameters.isExcluded : one.id === job.idSegment,
  );
}

/** Adds a sent for each segment; the one that is held has not started. */
async function newSents(
  tx: SiteDb,
  job: Job,
  segments: readonly Segment[],
  held: Segment | undefined,
  at: Date,
): Promise<{ segment: Segment; idSent: number }[]> {
  const names = await targetNames(tx, segments);
  const sents = segments.map((segment) => ({
    segment,
    filterName: names.get(segment.parameters.idTarget) ?? '',
    startedAt: segment === held ? null : at,
  }));
  const idsSent = await addSents(tx, job, sents);
  return segments.map((segment, index) => ({ segment, idSent: idsSent[index]! }));
}

async function targetNames(tx: SiteDb, segments: readonly Segment[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const { parameters } of segments) {
    if (names.has(parameters.idTarget)) continue;
    names.set(parameters.idTarget, (await findTarget(tx, parameters.idTarget))?.parameters.name ?? '');
  }
  return names;
}

/** Freezes what was judged, and reads none of it again: it may have been changed since. */
async function freeze(
  app: App,
  tx: SiteDb,
  { asSent, configuration, placings, fields }: Judged,
  of: Pick<MessageFacts, 'job' | 'segments' | 'idRemainder' | 'at'>,
): Promise<FrozenJob> {
  if (!configuration) throw new Refusal(422, 'refused', 'no sending configuration');
  const ids = new Set(of.segments.map(({ segment }) => segment.id));
  return freezeMessages({
    ...of,
    site: tx.site.name,
    campaign: asSent,
    configuration,
    placings: placings.filter(({ idSegment }) => ids.has(idSegment)),
    links: await linksForMessages(tx, asSent.id),
    fields,
    publicUrl: app.publicUrl,
    hasOneClick: (await readerAddressOf(app, tx.site.id)).hasOneClick,
  });
}

interface Wanted {
  readonly app: App;
  readonly tx: SiteDb;
  readonly job: Job;
  readonly campaign: Campaign;
  readonly segments: readonly Segment[];
  readonly at: Date;
  readonly limit: TimeLimit;
}

async function audienceFor({ app, tx, job, campaign, segments, at, limit }: Wanted): Promise<Sql> {
  if (!job.isTest) return audienceOf(app, tx, segments, at, limit);
  const positions = segments.map((segment) => segment.position);
  return testAudienceOf(app, tx, await testTargetOf(tx, campaign), positions, at, limit);
}

async function keep(
  tx: SiteDb,
  job: Job,
  frozen: FrozenJob,
  { nbLinks, placings }: { readonly nbLinks: number; readonly placings: readonly Placing[] },
): Promise<void> {
  const sents = allSentsOf(frozen);
  const contents = sents.flatMap(({ content }) => content ?? []);
  await tx.run(sql`
    update ${tx.t.job}
    set frozen = ${JSON.stringify(frozen)}::jsonb, subject = ${frozen.sents[0]?.subject ?? ''},
      sender_domain = ${domainOf(frozen.source.from.email)}, nb_segments = ${sents.length},
      nb_links = ${nbLinks}, nb_pub_insert = ${contents.reduce((sum, { placings }) => sum + placings.length, 0)}
    where id = ${job.id}`);
  for (const { conf, content } of sents) {
    const shown = showPlacings(placings.filter(({ id }) => content?.placings.includes(id)));
    if (shown.length > 0)
      await tx.run(
        sql`update ${tx.t.sent} set advertisements = ${JSON.stringify(shown)}::jsonb where id = ${conf.idSent}`,
      );
  }
}

/** What was frozen is the last count of each segment that is sent. */
async function keepCounts(tx: SiteDb, job: Job, segments: readonly Segment[]): Promise<void> {
  const sents = await sentsOfJob(tx, job.idCampaign, job.id);
  await setLastCounts(tx, segments, new Map(sents.map((sent) => [sent.idSegment, sent.nbAddressToSend])));
}

/** Nobody to write to: the job is over at once. */
async function finishEmpty(tx: SiteDb, job: Job, at: Date): Promise<void> {
  await tryMoveJob(tx, job.id, ['Generating'], 'Finished', { endedAt: at });
  await tx.run(sql`update ${tx.t.sent} set ended_at = ${at} where id_job = ${job.id}`);
}
