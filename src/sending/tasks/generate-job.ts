import { setTimeout as pause } from 'node:timers/promises';
import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { abTestOf } from '../../campaigns/ab-test.ts';
import { evaluateAudience, evaluateTestAudience } from '../../campaigns/audience.ts';
import type { Campaign } from '../../campaigns/campaign.ts';
import { checkTesters } from '../../campaigns/campaign-rules.ts';
import { waitForCampaign } from '../../campaigns/campaign-store.ts';
import { unsafeTargetsOf } from '../../campaigns/campaign-targets.ts';
import { unsafeTargetsProblem } from '../../campaigns/checklist.ts';
import { type Placement, showPlacements } from '../../campaigns/placement.ts';
import { type Judged, readinessOf } from '../../campaigns/readiness.ts';
import type { Segment } from '../../campaigns/segment.ts';
import { setLastCounts } from '../../campaigns/segment-store.ts';
import { checkSendable } from '../../campaigns/sendable.ts';
import { MergeNotEnded } from '../../fields/merge-state.ts';
import { currentHold } from '../../installation/installation-store.ts';
import type { App } from '../../platform/app.ts';
import { advisoryLock } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { domainOf } from '../../platform/email-address.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { Superseded } from '../../platform/retried-run.ts';
import { queuedTasks, task } from '../../platform/tasks.ts';
import { Selection } from '../../targets/selection.ts';
import { findTarget } from '../../targets/target-store.ts';
import { addAbTest } from '../ab-test-store.ts';
import { checkOneshot, pauseHeldJob, testTargetOf } from '../control-jobs.ts';
import {
  addSents,
  checkReachable,
  freezeAudience,
  freezeJudged,
  judgeMessages,
  keepSendings,
  type MessageReach,
  reachOf,
} from '../freeze.ts';
import { allSentsOf, type FrozenJob } from '../frozen-job.ts';
import { generateJobTask, type Job, type JobState, ungeneratedStates } from '../job.ts';
import {
  addGeneration,
  findJob,
  generationLock,
  offerJob,
  reportHindrance,
  tryMoveJob,
} from '../job-store.ts';
import { decidedTest, isResend, resendAudience, withDecision } from '../resend-store.ts';
import { sentsOfJob } from '../sent-store.ts';

/** A run that starts later than this after its time is missed: nobody expects it any more. */
const missedAfterMs = 3_600_000;
/** Time limit of evaluating the audience in milliseconds; a job whose targets take longer ends in error. */
const freezingMs = 600_000;
/** So long at most does the evaluation of an expression continue for a job that was stopped. */
const lookMs = 1_000;

/** A try to generate a job, and what was judged when it began: all that is frozen is made of it. */
interface Attempt extends MessageReach {
  readonly job: Job;
  readonly number: number;
  readonly campaign: Campaign;
  readonly judged: Judged;
  /** The segments of this job, and those of them that send. */
  readonly segments: readonly Segment[];
  readonly sending: readonly Segment[];
  readonly at: Date;
}

/**
 * Generates a job. A short transaction judges its campaign and moves it to Generating; a second one, which may take
 * minutes and holds no lock that anybody waits for, freezes audience and messages, and moves it on, if it still is
 * Generating by this attempt, as its last step. So pause and stop work at once, and whatever dies leaves a job that
 * the next run takes over.
 */
export const generateJob = task<{ idSite: number; idJob: number }>({
  name: generateJobTask,
  async run(app, { idSite, idJob }, signal) {
    const db = await app.siteById(idSite);
    const job = db && (await findJob(db, idJob));
    if (!db || !job || !ungeneratedStates.includes(job.state)) return;
    const hold = await currentHold(app.control);
    if (hold) return void (await pauseHeldJob(db, idJob, hold));
    // Its process was killed. Should it live after all, its attempt is over.
    if (job.state === 'Generating') await tryMoveJob(db, idJob, ['Generating'], 'Programmed');
    const at = app.clock.now();
    let attempt: Attempt | undefined;
    try {
      if (at.getTime() - job.scheduledAt.getTime() > missedAfterMs) return await miss(db, job, at);
      attempt = await db.transaction((tx) => begin(app, tx, job, at));
      if (attempt) await freezeJob(app, db, attempt, signal);
    } catch (error) {
      // The service ends: the next run takes over.
      if (signal.aborted) throw error;
      await fail(app, db, job, { error, at, attempt: attempt?.number });
    }
  },
});

async function miss(db: SiteDb, job: Job, at: Date): Promise<void> {
  const missed = `Missed: it was to start at ${job.scheduledAt.toISOString()}, more than an hour ago`;
  const errorInfo = [missed, job.errorInfo].filter(Boolean).join('. ');
  await tryMoveJob(db, job.id, ['Programmed'], 'Error', { endedAt: at, errorInfo, campaignState: 'Missed' });
}

/**
 * What becomes of a job that could not be generated.
 * @param failure `attempt` is undefined when the job has not left Programmed
 * @throws its error when it is to be retried
 */
async function fail(
  app: App,
  db: SiteDb,
  { id }: Job,
  failure: { readonly error: unknown; readonly at: Date; readonly attempt: number | undefined },
): Promise<void> {
  const { error, at, attempt } = failure;
  const from: readonly JobState[] = attempt === undefined ? ['Programmed'] : ['Generating'];
  // What is wrong with the campaign itself does not mend by retrying; anything else is retried, also what is only
  // away (the repository of a file filter).
  if (error instanceof Refusal && error.code !== 'unavailable') {
    const marks = { endedAt: at, errorInfo: error.message, attempt };
    if (await tryMoveJob(db, id, from, 'Error', marks))
      app.log.warn({ idSite: db.site.id, idJob: id, reason: error.message }, 'a job cannot be generated');
    return;
  }
  if (error instanceof MergeNotEnded && attempt !== undefined)
    return waitForImport(db, id, error, { at, attempt });
  // Where the job's users look; the log has the error itself. With the database away nobody could be told.
  const errorInfo = 'It could not be generated and is tried again';
  const isOurs =
    attempt === undefined
      ? reportHindrance(db, id, errorInfo).then(() => true)
      : tryMoveJob(db, id, from, 'Programmed', { errorInfo, attempt });
  if (await isOurs.catch(() => true)) throw error;
}

/** Between two looks whether an import has written its rows. */
const importPauseMs = 10_000;

/** Comes back to a job soon and steadily: the pauses of the queue grow until the job is missed. */
async function waitForImport(
  db: SiteDb,
  id: number,
  { message }: MergeNotEnded,
  { at, attempt }: { readonly at: Date; readonly attempt: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    if (await tryMoveJob(tx, id, ['Generating'], 'Programmed', { errorInfo: message, attempt }))
      await addGeneration(tx, id, new Date(at.getTime() + importPauseMs));
  });
}

/** Moves a job to Generating, with all that is to be judged of its campaign; undefined when it is not Programmed. */
async function begin(app: App, tx: SiteDb, job: Job, at: Date): Promise<Attempt | undefined> {
  // Locks the campaign before the job, as everybody does. From here on until the end of the job nobody changes it, but
  // for test mailings: what is read here is all that is ever read of it.
  const campaign = await waitForCampaign(tx, job.idCampaign);
  if (!(await tryMoveJob(tx, job.id, ['Programmed'], 'Generating', { startedAt: at }))) return undefined;
  // Until now it could be changed, also into one that is never sent from here.
  checkSendable(campaign);
  if (!job.isTest) await checkReachable(app, tx.site.id);
  // Until now it could be made one-shot, with a date behind it.
  if (!job.isTest && !isResend(job)) await checkOneshot(tx, campaign);
  // Its targets are judged by using them, when it is frozen.
  const judged = await readinessOf(tx, campaign, []);
  refuseFor(job.isTest ? judged.testProblems : judged.problems);
  const segments = segmentsOf(judged, job);
  const sending = segments.filter(({ parameters }) => job.isTest || !parameters.isExcluded);
  if (sending.length === 0) throw new Refusal(422, 'refused', 'no segment to send to');
  // Here, for another job of the campaign would wait for them.
  await keepSendings(tx, campaign.id, sending);
  const reach = await reachOf(app, tx, judged, sending);
  const { attempt: number } = (await findJob(tx, job.id))!;
  return { job, number, campaign, judged, segments, sending, ...reach, at };
}

/** Freezes the job in one transaction, which is begun again once files of its targets are loaded. */
async function freezeJob(app: App, db: SiteDb, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const options = { app, db, at: attempt.at, reader: 'task', limitMs: freezingMs } as const;
  const recipients = await whileOurs(db, attempt, signal, (ours) =>
    Selection.select({ ...options, signal: ours }, (selection) => freeze(app, db, selection, attempt)),
  );
  const { id: idJob, idCampaign, isTest } = attempt.job;
  app.log.info({ site: db.site.name, idJob, idCampaign, isTest, recipients }, 'a job is generated');
  // What failed of a segment is not what its target selects.
  if (isTest || isResend(attempt.job)) return;
  // Not in that transaction: where it keeps one sight of the data, it would begin again for each count that is kept
  // meanwhile, and who counts again and again would keep the job from being sent.
  await keepCounts(db, attempt).catch((err) =>
    app.log.warn({ err, site: db.site.name, idJob }, 'the counts of segments are not kept'),
  );
}

/**
 * Works with a signal that is aborted once the attempt is superseded, or the service ends. An expression of a user is
 * evaluated on a connection of its own, on which who stops the job has no hold: so we look, each second.
 */
async function whileOurs<T>(
  db: SiteDb,
  attempt: Attempt,
  signal: AbortSignal,
  work: (ours: AbortSignal) => Promise<T>,
): Promise<T> {
  const [superseded, over] = [new AbortController(), new AbortController()];
  const look = async () => {
    while (!superseded.signal.aborted) {
      await pause(lookMs, undefined, { signal: over.signal });
      await checkOurs(db, attempt).catch((error) => {
        // With the database away the work fails by itself.
        if (error instanceof Superseded) superseded.abort(error);
      });
    }
  };
  // It ends by a rejection, once it is over.
  const looking = look().catch(() => undefined);
  try {
    return await work(AbortSignal.any([superseded.signal, signal]));
  } finally {
    over.abort();
    await looking;
  }
}

/**
 * Freezes a job's audience and messages.
 * @param db sees commits of other transactions since this one began
 * @returns the number of recipients
 * @throws Superseded
 */
async function freeze(app: App, db: SiteDb, selection: Selection, attempt: Attempt): Promise<number> {
  const { tx } = selection;
  const { job, judged, segments, at } = attempt;
  // First the mark by which a statement of ours is aborted, then the look: anyone who moves the job meanwhile is seen
  // by the one or finds the other.
  await tx.run(advisoryLock(generationLock(tx, job.id), true));
  await checkOurs(db, attempt);
  // A test mailing waits for no winner: it shows the remainder as its segment says. Nor does a resend: it has one.
  const abTest = job.isTest || isResend(job) ? undefined : abTestOf(attempt.campaign, segments);
  const sents = await newSents(tx, attempt, abTest?.remainder);
  const idHeld = sents.find(({ segment }) => segment === abTest?.remainder)?.idSent;
  const decided = isResend(job) ? await decidedTest(tx, job, attempt.campaign, sents) : undefined;
  const idRemainder = idHeld ?? decided?.idRemainder;
  const frozen = withDecision(freezeJudged(app, tx, attempt, { segments: sents, idRemainder }), decided, at);
  const { problems, nbLinks } = judgeMessages(frozen);
  refuseFor(problems);
  const total = await evaluateAudienceFor(selection, attempt, async (audience) => {
    // Closes the gap before the longest statement: a pause or stop before it found no statement to cancel.
    await checkOurs(db, attempt);
    return freezeAudience(tx, job.id, audience, idHeld);
  });
  // Counted again: since the call its target may have become one of everybody.
  if (job.isTest) checkTesters(total / attempt.sending.length);
  const isEmpty = total === 0;
  const times = isEmpty ? { endedAt: at } : { triedAt: at };
  const marks = { ...times, errorInfo: null, attempt: attempt.number };
  // Only now, and before what others write with the campaign locked: a pause or a stop comes before this or after it.
  if (!(await tryMoveJob(tx, job.id, ['Generating'], isEmpty ? 'Finished' : 'Sending', marks)))
    throw new Superseded('The job was stopped or paused, or a later attempt has begun');
  await keep(tx, job, frozen, { nbLinks, placements: judged.placements });
  if (abTest && idHeld !== undefined) await addAbTest(tx, job.id, idHeld, abTest.type);
  if (isEmpty) await tx.run(sql`update ${tx.t.sent} set ended_at = ${at} where id_job = ${job.id}`);
  else await offerJob(tx, job.id);
  return total;
}

/** @throws Superseded */
async function checkOurs(db: SiteDb, { job, number }: Attempt): Promise<void> {
  const now = await findJob(db, job.id);
  if (now?.state !== 'Generating' || now.attempt !== number)
    throw new Superseded('The job was stopped or paused, or a later attempt has begun');
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

/** Adds a sent for each segment that sends; the one that is held has not started. */
async function newSents(
  tx: SiteDb,
  { job, sending, at }: Attempt,
  held: Segment | undefined,
): Promise<{ segment: Segment; idSent: number }[]> {
  const names = await targetNames(tx, sending);
  const sents = sending.map((segment) => ({
    segment,
    filterName: names.get(segment.parameters.idTarget) ?? '',
    startedAt: segment === held ? null : at,
  }));
  const idsSent = await addSents(tx, job, sents);
  return sending.map((segment, index) => ({ segment, idSent: idsSent[index]! }));
}

async function targetNames(tx: SiteDb, segments: readonly Segment[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const { parameters } of segments) {
    if (names.has(parameters.idTarget)) continue;
    names.set(parameters.idTarget, (await findTarget(tx, parameters.idTarget))?.parameters.name ?? '');
  }
  return names;
}

/** Runs `work` with the audience of a job: of a real sending, a resend or a test mailing. */
async function evaluateAudienceFor<T>(
  selection: Selection,
  { job, campaign, segments }: Attempt,
  work: (audience: Sql) => Promise<T>,
): Promise<T> {
  const { tx } = selection;
  if (!job.isTest) {
    // Judged again: since the campaign was, its targets may have been changed, as while files of theirs were loaded.
    const unsafe = (await unsafeTargetsOf(tx, [job.idCampaign])).get(job.idCampaign);
    refuseFor(unsafe ? [unsafeTargetsProblem(unsafe)] : []);
    if (!isResend(job)) return evaluateAudience(selection, segments, work);
    const audience = await resendAudience(tx, job, segments);
    return selection.evaluate([], () => work(audience));
  }
  const positions = segments.map((segment) => segment.position);
  return evaluateTestAudience(selection, await testTargetOf(tx, campaign), positions, work);
}

async function keep(
  tx: SiteDb,
  job: Job,
  frozen: FrozenJob,
  { nbLinks, placements }: { readonly nbLinks: number; readonly placements: readonly Placement[] },
): Promise<void> {
  const sents = allSentsOf(frozen);
  const contents = sents.flatMap(({ content }) => content ?? []);
  await tx.run(sql`
    update ${tx.t.job}
    set frozen = ${JSON.stringify(frozen)}::jsonb, subject = ${frozen.sents[0]?.subject ?? ''},
      sender_domain = ${domainOf(frozen.source.from.email)}, nb_segments = ${sents.length},
      nb_links = ${nbLinks}, nb_pub_insert = ${contents.reduce((sum, { placements }) => sum + placements.length, 0)}
    where id = ${job.id}`);
  for (const { conf, content } of sents) {
    const shown = showPlacements(placements.filter(({ id }) => content?.placements.includes(id)));
    if (shown.length > 0)
      await tx.run(
        sql`update ${tx.t.sent} set advertisements = ${JSON.stringify(shown)}::jsonb where id = ${conf.idSent}`,
      );
  }
}

/** What was frozen is the last count of each segment that is sent. */
async function keepCounts(db: SiteDb, { job, segments }: Attempt): Promise<void> {
  const sents = await sentsOfJob(db, job.idCampaign, job.id);
  await setLastCounts(db, segments, new Map(sents.map((sent) => [sent.idSegment, sent.nbAddressToSend])));
}

/**
 * Schedules generations again whose task was lost from the queue, or whose process was killed. The task itself decides
 * whether the date was missed.
 */
export const findLostGenerations = lostTaskFinder({
  name: 'findLostGenerations',
  find: (db) =>
    db.rows<{ idJob: number; scheduledAt: Date }>(sql`
      select id as "idJob", scheduled_at as "scheduledAt" from ${db.t.job}
      where state = any(${ungeneratedStates}::text[]) and not exists (
        select from ${queuedTasks(generateJob)} task
        where (payload ->> 'idSite')::int = ${db.site.id} and (payload ->> 'idJob')::int = id)
      order by id`),
  add: (tx, { idJob, scheduledAt }) => addGeneration(tx, idJob, scheduledAt),
});
