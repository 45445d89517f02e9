import { setTimeout as pause } from 'node:timers/promises';
import { lostTaskFinder } from '../../accounts/lost-tasks.ts';
import { abTestOf } from '../../campaigns/ab-test.ts';
import { evaluateAudience, evaluateTestAudience } from '../../campaigns/audience.ts';
import type { Campaign } from '../../campaigns/campaign.ts';
import { checkTesters } from '../../campaigns/campaign-rules.ts';
import { unsafeTargetsOf, waitForCampaign } from '../../campaigns/campaign-store.ts';
import { unsafeTargetsProblem } from '../../campaigns/checklist.ts';
import { type Placement, showPlacements } from '../../campaigns/placement.ts';
import { checkSendable, type Judged, readinessOf } from '../../campaigns/readiness.ts';
import type { Segment } from '../../campaigns/segment.ts';
import { setLastCounts } from '../../campaigns/segment-store.ts';
import { MergeNotEnded } from '../../fields/merge-state.ts';
import { currentHold } from '../../installation/installation-store.ts';
import type { App } from '../../platform/app.ts';
import { advisoryLock } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { domainOf } from '../../platform/email-address.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { retriedTask, Superseded } from '../../platform/retried-run.ts';
import { queuedTasks } from '../../platform/tasks.ts';
import { Selection } from '../../targets/selection.ts';
import { targetNames } from '../../targets/target-store.ts';
import { withRemainder } from '../ab-test.ts';
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
import { decidedTest, isResend, resendAudience } from '../resend-store.ts';
import { sentsOfJob } from '../sent-store.ts';

/** A job that would start later than this after its date is missed. */
const missedAfterMs = 3_600_000;
/** Time limit of evaluating the audience in milliseconds; a job whose targets take longer ends in error. */
const freezingMs = 600_000;
/** Interval of the checks whether a job was stopped while an expression is evaluated. */
const lookMs = 1_000;

/** An attempt to generate a job, with everything that was judged at its beginning. */
interface Attempt extends MessageReach {
  readonly job: Job;
  readonly number: number;
  readonly campaign: Campaign;
  readonly judged: Judged;
  /** The segments of this job; `sending` lists those that send. */
  readonly segments: readonly Segment[];
  readonly sending: readonly Segment[];
  readonly at: Date;
}

/** One run of the task: the job as it was found, and the number of the attempt once it has moved to Generating. */
interface Run {
  readonly job: Job;
  attempt?: number;
}

/**
 * Generates a job. A short transaction judges its campaign and moves it to Generating. A second one, which may take
 * minutes and holds no lock that another caller waits for, freezes audience and messages; its last step moves the job
 * on, if the job is still Generating by this attempt. A pause or stop therefore takes effect immediately, and a killed
 * process leaves a job that the next run takes over.
 */
export const generateJob = retriedTask<{ idSite: number; idJob: number }, Run>({
  name: generateJobTask,
  noun: 'generation',
  // A process that froze must not delay a sending: its attempt is superseded instead.
  needsPermit: false,
  id: ({ idJob }) => idJob,
  async begin(tx, { idJob }, now) {
    const job = await findJob(tx, idJob);
    if (!job || !ungeneratedStates.includes(job.state)) return undefined;
    const hold = await currentHold(tx);
    if (hold) return void (await pauseHeldJob(tx, idJob, hold));
    // Its process was killed. If the process lives after all, its attempt is superseded.
    if (job.state === 'Generating') await tryMoveJob(tx, idJob, ['Generating'], 'Programmed');
    if (now.getTime() - job.scheduledAt.getTime() <= missedAfterMs) return { job };
    return void (await miss(tx, job, now));
  },
  async work(app, db, run, signal) {
    const at = app.clock.now();
    const attempt = await db.transaction((tx) => startAttempt(app, tx, run.job, at));
    if (!attempt) return;
    run.attempt = attempt.number;
    try {
      await freezeJob(app, db, attempt, signal);
    } catch (error) {
      if (!(error instanceof MergeNotEnded)) throw error;
      const { job, number } = attempt;
      // After a steady pause: pauses that grow would delay the sending after the import.
      await db.transaction(async (tx) => {
        const marks = { errorInfo: error.message, attempt: number };
        if (await tryMoveJob(tx, job.id, ['Generating'], 'Programmed', marks))
          await addGeneration(tx, job.id, new Date(at.getTime() + importPauseMs));
      });
    }
  },
  // Only a user can correct a mistake in the campaign. Other errors may pass, such as an unavailable repository.
  permanentReason: (error) =>
    error instanceof Refusal && error.code !== 'unavailable' ? error.message : undefined,
  inLog: (error) => ({ reason: (error as Refusal).message }),
  // The log has the error itself.
  reasonOf: () => 'the service met an unexpected error',
  recordedReason: () => undefined,
  about: ({ job, attempt }) => ({ idJob: job.id, attempt }),
  async recordFailure(tx, { job, attempt }) {
    const errorInfo = 'It could not be generated; the generation is retried';
    if (attempt === undefined) await reportHindrance(tx, job.id, errorInfo);
    else if (!(await tryMoveJob(tx, job.id, ['Generating'], 'Programmed', { errorInfo, attempt })))
      return undefined;
    return job.scheduledAt;
  },
  patience: async () => ({ ms: missedAfterMs, words: 'an hour' }),
  retry: (tx, { job }, at) => addGeneration(tx, job.id, at),
  async fail(_app, tx, { job, attempt }, errorInfo, endedAt) {
    const from: readonly JobState[] = attempt === undefined ? ['Programmed'] : ['Generating'];
    if (!(await tryMoveJob(tx, job.id, from, 'Error', { endedAt, errorInfo, attempt }))) throw superseded();
  },
});

async function miss(tx: SiteDb, job: Job, at: Date): Promise<void> {
  const missed = `Missed: it was to start at ${job.scheduledAt.toISOString()}, more than an hour ago`;
  const errorInfo = [missed, job.errorInfo].filter(Boolean).join('. ');
  await tryMoveJob(tx, job.id, ['Programmed'], 'Error', { endedAt: at, errorInfo, campaignState: 'Missed' });
}

const superseded = () => new Superseded('The job was stopped or paused, or a later attempt has begun');

/** Pause before a job is generated again that waits for an import to write its rows, in milliseconds. */
const importPauseMs = 10_000;

/** Moves a job to Generating and judges its campaign. Returns undefined if the job is no longer Programmed. */
async function startAttempt(app: App, tx: SiteDb, job: Job, at: Date): Promise<Attempt | undefined> {
  // Locks the campaign before the job, as every transaction does. Until the end of a real job the campaign cannot
  // change, so nothing is re-read.
  const campaign = await waitForCampaign(tx, job.idCampaign);
  if (!(await tryMoveJob(tx, job.id, ['Programmed'], 'Generating', { startedAt: at }))) return undefined;
  // Until this lock, the campaign could change into one that is not sent from here.
  checkSendable(campaign);
  if (!job.isTest) await checkReachable(app, tx.site.id);
  // Until this lock, the campaign could become one-shot after an earlier date.
  if (!job.isTest && !isResend(job)) await checkOneshot(tx, campaign);
  // The freeze judges its targets by using them.
  const judged = await readinessOf(tx, campaign, []);
  refuseFor(job.isTest ? judged.testProblems : judged.problems);
  const segments = segmentsOf(judged, job);
  const sending = segments.filter(({ parameters }) => job.isTest || !parameters.isExcluded);
  if (sending.length === 0) throw new Refusal(422, 'refused', 'no segment to send to');
  // Here rather than in the freeze: another job of the campaign would wait for these rows.
  await keepSendings(tx, campaign.id, sending);
  const reach = await reachOf(app, tx, judged, sending);
  const { attempt: number } = (await findJob(tx, job.id))!;
  return { job, number, campaign, judged, segments, sending, ...reach, at };
}

/** Freezes the job in one transaction, which restarts when files of its targets have been loaded. */
async function freezeJob(app: App, db: SiteDb, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const options = { app, db, at: attempt.at, reader: 'task', limitMs: freezingMs } as const;
  const recipients = await whileOurs(db, attempt, signal, (ours) =>
    Selection.select({ ...options, signal: ours }, (selection) => freeze(app, db, selection, attempt)),
  );
  const { id: idJob, idCampaign, isTest } = attempt.job;
  app.log.info({ site: db.site.name, idJob, idCampaign, isTest, recipients }, 'a job is generated');
  // The failed recipients of a segment are not a count of its target.
  if (isTest || isResend(attempt.job)) return;
  // A separate transaction: under snapshot isolation the freeze would restart for each count that is stored while it
  // runs, and frequent counts could keep the job from being sent.
  await keepCounts(db, attempt).catch((err) =>
    app.log.warn({ err, site: db.site.name, idJob }, 'the counts of segments are not kept'),
  );
}

/**
 * Works with a signal that aborts when the attempt is superseded or the service ends. A user's expression is evaluated
 * on its own connection, which a stop of the job does not cancel, so the state is polled each second.
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
        // Without the database the work fails anyway.
        if (error instanceof Superseded) superseded.abort(error);
      });
    }
  };
  // The aborted pause rejects when the work has ended.
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
  // First the lock by which a statement of this attempt is cancelled, then the check: a move of the job is seen by the
  // check or finds the lock.
  await tx.run(advisoryLock(generationLock(tx, job.id), true));
  await checkOurs(db, attempt);
  // A test mailing shows the remainder as its segment defines it. A resend has its winner.
  const abTest = job.isTest || isResend(job) ? undefined : abTestOf(attempt.campaign, segments);
  const sents = await newSents(tx, attempt, abTest?.remainder);
  const idHeld = sents.find(({ segment }) => segment === abTest?.remainder)?.idSent;
  const decided = isResend(job) ? await decidedTest(tx, job, attempt.campaign, sents) : undefined;
  const idRemainder = idHeld ?? decided?.idRemainder;
  const made = freezeJudged(app, tx, attempt, { segments: sents, idRemainder });
  const frozen = decided ? withRemainder(made, decided.type, decided.idWinner, at) : made;
  const { problems, nbLinks } = judgeMessages(frozen);
  refuseFor(problems);
  const total = await evaluateAudienceFor(selection, attempt, async (audience) => {
    // Closes the gap before the longest statement: a pause or stop before it found no statement to cancel.
    await checkOurs(db, attempt);
    return freezeAudience(tx, job.id, audience, idHeld);
  });
  // Counted again: its target may have grown since the call.
  if (job.isTest) checkTesters(total / attempt.sending.length);
  const isEmpty = total === 0;
  const times = isEmpty ? { endedAt: at } : { triedAt: at };
  const marks = { ...times, errorInfo: null, attempt: attempt.number };
  // The job moves only now, before rows that others write with the campaign locked: a pause or a stop comes before or
  // after.
  if (!(await tryMoveJob(tx, job.id, ['Generating'], isEmpty ? 'Finished' : 'Sending', marks)))
    throw superseded();
  await keep(tx, job, frozen, { nbLinks, placements: judged.placements });
  if (abTest && idHeld !== undefined) await addAbTest(tx, job.id, idHeld, abTest.type);
  if (isEmpty) await tx.run(sql`update ${tx.t.sent} set ended_at = ${at} where id_job = ${job.id}`);
  else await offerJob(tx, job.id);
  return total;
}

/** @throws Superseded */
async function checkOurs(db: SiteDb, { job, number }: Attempt): Promise<void> {
  const now = await findJob(db, job.id);
  if (now?.state !== 'Generating' || now.attempt !== number) throw superseded();
}

function refuseFor(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(422, 'refused', problems.join('; '));
}

/** The segment of a test mailing is sent even if it was excluded since. */
function segmentsOf({ segments }: Judged, job: Job): readonly Segment[] {
  if (!job.isTest) return segments;
  return segments.filter((one) =>
    job.idSegment === null ? !one.parameters.isExcluded : one.id === job.idSegment,
  );
}

/** Adds a sending for each segment that sends. The one that is held has not started. */
async function newSents(
  tx: SiteDb,
  { job, sending, at }: Attempt,
  held: Segment | undefined,
): Promise<{ segment: Segment; idSent: number }[]> {
  const idsTarget = sending.map(({ parameters }) => parameters.idTarget);
  const names = await targetNames(tx, idsTarget);
  const sents = sending.map((segment) => ({
    segment,
    filterName: names.get(segment.parameters.idTarget) ?? '',
    startedAt: segment === held ? null : at,
  }));
  const idsSent = await addSents(tx, job, sents);
  return sending.map((segment, index) => ({ segment, idSent: idsSent[index]! }));
}

/** Runs `work` with the audience of a job: of a real sending, a resend or a test mailing. */
async function evaluateAudienceFor<T>(
  selection: Selection,
  { job, campaign, segments }: Attempt,
  work: (audience: Sql) => Promise<T>,
): Promise<T> {
  const { tx } = selection;
  if (!job.isTest) {
    // Judged again: targets may have changed since, for example while files were loaded.
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

/** Stores the number of frozen recipients as the last count of each segment. */
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
