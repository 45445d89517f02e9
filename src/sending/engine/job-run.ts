import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Recipient } from '../../mail/recipient.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import type { FrozenJob } from '../frozen-job.ts';
import type { JobState } from '../job.ts';
import type { JobMessages } from '../job-messages.ts';
import { frozenJob, jobBucket } from '../job-store.ts';
import { readRecipients } from '../recipient-store.ts';
import { countMail } from '../sending-health.ts';
import {
  type Candidate,
  JobCandidate,
  type JobSupply,
  ReadyCandidates,
  type Surroundings,
} from './candidate.ts';
import type { EngineParts } from './engine-parts.ts';
import { closeRange } from './finish.ts';
import type { GroupCommit } from './group-commit.ts';
import { RefusalWatch } from './halt-job.ts';
import { type FoundJob, type Holder, readLog, releaseRange, renewAfterInDoubt, takeRanges } from './lease.ts';
import { type OutcomeState, outcomes } from './range-memory.ts';
import { RangeRun } from './range-run.ts';
import { providerBucket, SenderPauses } from './rate-limit.ts';
import { type WhyFailed, whyRefused } from './retry.ts';

/** Ranges of a job that one process works on at a time: enough that one which only waits does not hold up the rest. */
const maxAtWork = 6;
/** Ranges kept besides in which all who are left wait for the limit of a provider; more of them are released. */
const maxLimited = 6;

/** The ranges of one job that this process holds. */
export class HeldRanges {
  readonly #runs = new Set<RangeRun>();

  get size(): number {
    return this.#runs.size;
  }

  [Symbol.iterator](): IterableIterator<RangeRun> {
    return this.#runs.values();
  }

  add(run: RangeRun): void {
    this.#runs.add(run);
  }

  delete(run: RangeRun): void {
    this.#runs.delete(run);
  }

  /** Those in which nobody is left who could be attempted but for the limit of a provider. */
  get limited(): RangeRun[] {
    return [...this.#runs].filter((run) => run.status === 'open' && run.isLimited);
  }

  /** Whether another range may be leased. */
  get hasRoom(): boolean {
    return this.#runs.size - this.limited.length < maxAtWork;
  }

  /** Whether there are more limited ranges than it takes to keep their providers busy. */
  get hasTooManyLimited(): boolean {
    return this.limited.length > maxLimited;
  }

  /** Whether no further limited range is worth a lease, unless it waits for a provider that has room. */
  get isFullOfLimited(): boolean {
    return this.limited.length >= maxLimited;
  }

  /** The providers that those wait for. */
  get limitedBy(): number[] {
    return [...new Set(this.limited.flatMap((run) => run.limitedBy))];
  }

  /** Milliseconds from `now` (since 1970) until somebody can be taken; Infinity when nobody waits. */
  waitMs(now: number): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const run of this.#runs) {
      if (run.status === 'open') wait = Math.min(wait, run.waitMs(now));
      if (wait <= 0) break;
    }
    return wait;
  }

  /** Takes up to `count` recipients who can be attempted at `now`. */
  take(count: number, now: number): { run: RangeRun; id: number }[] {
    const taken: { run: RangeRun; id: number }[] = [];
    const takeFrom = (run: RangeRun, next: () => number | undefined) => {
      while (taken.length < count) {
        const id = next();
        if (id === undefined) return;
        taken.push({ run, id });
      }
    };
    // Who waits for the limit of a provider must not keep those from being read who wait for nothing.
    for (const run of this.#runs) takeFrom(run, () => run.takeUntried());
    for (const run of this.#runs) takeFrom(run, () => run.takeDue(now));
    return taken;
  }
}

/** Connections of a provider that are all busy are requested again after this, even when none of ours came back. */
const awaitedAgainAfterMs = 200;
/** Recipients read in one statement, and kept ready at most twice that: 50 ms of sending at full speed. */
const batchSize = 256;
/** A message that breaks this many connections waits like one that was deferred. */
const maxTears = 3;
/** A range whose next recipient waits longer than this is released until then. */
const keepWaitingMs = 2_000;

/**
 * One job at work in this process: leases ranges, reads recipients ahead of the connections, takes their outcomes.
 * All that must outlive the process goes through GroupCommit; everything here can be lost at any moment.
 */
export class JobRun implements JobSupply {
  readonly db: SiteDb;
  readonly idJob: number;
  readonly commit: GroupCommit;
  readonly messages: JobMessages;
  readonly #parts: EngineParts;
  readonly #frozen: FrozenJob;
  readonly #surroundings: Surroundings;
  readonly #pauses: SenderPauses;
  readonly #ranges = new HeldRanges();
  readonly #refusals: RefusalWatch;
  /** Ranges that are being closed, released or verified. */
  readonly #busy = new Set<RangeRun>();
  readonly #ready: ReadyCandidates;
  #state: JobState = 'Sending';
  #stopping = false;
  #filling = false;
  #exhausted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    parts: EngineParts,
    of: { db: SiteDb; idJob: number; frozen: FrozenJob; messages: JobMessages; commit: GroupCommit },
    surroundings: Surroundings,
  ) {
    this.#parts = parts;
    this.db = of.db;
    this.idJob = of.idJob;
    this.commit = of.commit;
    this.messages = of.messages;
    this.#frozen = of.frozen;
    this.#surroundings = surroundings;
    const sender = domainOf(of.frozen.source.from.email);
    this.#pauses = new SenderPauses(parts.pauses, () => parts.suspensions.of(of.db.site.id, sender));
    this.#ready = new ReadyCandidates(parts.providers, () => surroundings.wake());
    this.#refusals = new RefusalWatch(parts.app, of, (isHalted) => {
      if (isHalted) this.seen('Paused');
      else this.fill();
      // Somebody may have paused it in the meantime: then neither tells that it is over.
      surroundings.wake();
    });
  }

  /** How many a connection could take now; none while a commit is in doubt, so that doubts do not add up. */
  get readyCount(): number {
    return this.commit.doubtful.size > 0 || !this.#isSending ? 0 : this.#ready.takeable;
  }

  /** Nothing is held any more, and nothing more can be taken: the engine lets go of this object. */
  get isOver(): boolean {
    const isBusy = this.#ranges.size > 0 || this.#filling || this.#refusals.isHalting;
    return !isBusy && (this.#exhausted || !this.#isSending);
  }

  get #isSending(): boolean {
    return this.#state === 'Sending' && !this.#stopping && !this.#refusals.isHalting;
  }

  #now(): number {
    return this.#parts.app.clock.now().getTime();
  }

  /** The next recipient for a connection, or undefined when none is ready; more are then on their way. */
  take(): Candidate | undefined {
    if (this.commit.doubtful.size > 0 || !this.#isSending) return undefined;
    if (this.#ready.length <= batchSize) this.fill();
    const next = this.#ready.take((candidate) => this.#giveBack(candidate));
    if (!next) this.fill();
    return next;
  }

  /** Makes candidates ready, in the background; at most one filling runs. */
  fill(): void {
    if (this.#filling || !this.#isSending || !this.#surroundings.canSend()) return;
    this.#filling = true;
    this.#fillUp()
      .catch((error: Error) => {
        this.#parts.app.log.warn({ err: error, idJob: this.idJob }, 'recipients cannot be read');
        this.#fillAfter(1_000);
      })
      .finally(() => {
        this.#filling = false;
        // Paused or stopped in the meantime: what was just made ready goes back.
        if (!this.#isSending) this.#drain();
        this.#surroundings.wake();
      });
  }

  async #fillUp(): Promise<void> {
    while (this.#isSending && this.#ready.length <= batchSize && (await this.#fillOnce()))
      this.#surroundings.wake();
  }

  async #fillOnce(): Promise<boolean> {
    await this.#leaseMore();
    const rest = this.#ranges.waitMs(this.#now());
    if (rest > 0) {
      if (rest <= keepWaitingMs) this.#fillAfter(rest);
      return false;
    }
    const speed = this.#frozen.sendingSpeed;
    const { given, waitMs } = await this.#parts.limits.take(this.#bucket, speed, batchSize);
    if (waitMs > 0) this.#fillAfter(waitMs);
    const taken = this.#ranges.take(given, this.#now());
    this.#unasked(given - taken.length);
    if (taken.length === 0) return false;
    const recipients = await this.#read(taken);
    const readAt = performance.now();
    for (const { run, id } of taken) await this.#prepare(run, id, recipients.get(id), readAt);
    return true;
  }

  async #read(taken: readonly { run: RangeRun; id: number }[]): Promise<Map<number, Recipient>> {
    try {
      const ids = taken.map(({ id }) => id);
      return await readRecipients(this.db, ids, this.messages.needs);
    } catch (error) {
      for (const { run, id } of taken) run.putBack(id);
      this.#unasked(taken.length);
      throw error;
    }
  }

  async #prepare(run: RangeRun, id: number, recipient: Recipient | undefined, readAt: number): Promise<void> {
    if (!recipient) {
      this.#unasked(1);
      this.#record(run, id, outcomes.cancelled, 0);
      return;
    }
    const provider = this.#parts.providers.of(recipient.domain);
    const perHour = this.#parts.providers.messagesPerHour(provider);
    if (await this.#mayGoTo(provider, perHour)) {
      this.#ready.push(new JobCandidate(this, run, recipient, { provider, perHour, readAt }));
      return;
    }
    this.#unasked(1);
    run.hold(id, provider);
  }

  /** Takes one of a provider's messages per hour; false, and asked again later, when there is none left. */
  async #mayGoTo(provider: number, perHour: number): Promise<boolean> {
    const { limits } = this.#parts;
    if (this.#waitMs(provider) > 0) return false;
    const { given, waitMs } = await limits
      .take(providerBucket(provider), perHour, 1)
      // Set aside: the others that were taken with it must not be taken a second time.
      .catch(() => ({ given: 0, waitMs: 1_000 }));
    if (given === 0) this.#pauses.pause(provider, waitMs);
    return given > 0;
  }

  isSuspended(provider: number): boolean {
    return this.#pauses.isSuspended(provider);
  }

  /** Why some recipients wait, for its users; undefined when none do. */
  get suspension(): string | undefined {
    return this.#pauses.suspension(this.#ranges.limitedBy);
  }

  /** Milliseconds until somebody of a provider is worth reading; 0 when it is so now. */
  #waitMs(provider: number): number {
    return this.#ready.isAwaited(provider) ? awaitedAgainAfterMs : this.#pauses.waitMs(provider);
  }

  get #bucket(): string {
    return jobBucket(this.db.site.id, this.idJob);
  }

  /** Gives tokens of the job back for recipients whose providers were not asked, or gave none. */
  #unasked(tokens: number): void {
    this.#parts.limits.giveBack(this.#bucket, this.#frozen.sendingSpeed, tokens);
  }

  /** Gives a candidate back who is not sent to now, and what was taken for them. */
  #giveBack({ run, recipient, provider, perHour }: JobCandidate): void {
    run.putBack(recipient.id);
    this.#unasked(1);
    this.#parts.limits.giveBack(providerBucket(provider), perHour, 1);
  }

  #fillAfter(ms: number): void {
    if (this.#timer || this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, ms);
  }

  async #leaseMore(): Promise<void> {
    // Asked again with the next tick only, not for each message of the tail.
    if (this.#exhausted || this.#ranges.waitMs(this.#now()) <= 0) return;
    for (const run of this.#ranges.limited) this.settle(run);
    if (!this.#ranges.hasRoom) return;
    const leased = await takeRanges(this.db, this.#parts.holder, this.idJob, 1, {
      held: [...this.#ranges].map((run) => run.number),
      at: this.#parts.app.clock.now(),
      fullProviders: this.#ranges.isFullOfLimited
        ? [...this.#ranges.limitedBy, ...this.#ready.awaited, ...this.#pauses.pausedNow]
        : [],
    });
    this.#exhausted = leased.length === 0;
    for (const range of leased) {
      await this.messages.know(range.idSent, () => frozenJob(this.db, this.idJob));
      const log = await readLog(this.db, this.idJob, range.number);
      const pauses = { waitMs: (provider: number) => this.#waitMs(provider) };
      const run = new RangeRun(range, log, this.#parts.retry, pauses);
      this.#ranges.add(run);
      // What an earlier holder took with it: reported, never sent again by itself.
      for (const id of run.unknown) {
        this.#record(run, id, outcomes.uncertain, 0);
        countMail(this.#parts.app, { idSite: this.db.site.id, idProvider: 0 }, 'uncertain');
      }
      this.settle(run);
    }
  }

  /** Enters what became of a message that a connection had. `ours`: we broke it off ourselves. */
  delivered({ run, recipient, provider }: JobCandidate, outcome: DeliveryOutcome, ours: boolean): void {
    this.#parts.providers.leave(provider);
    if (!ours) this.#refusals.heard(outcome);
    const { id } = recipient;
    switch (outcome.kind) {
      case 'accepted':
        this.#record(run, id, outcomes.accepted, outcome.code);
        break;
      case 'refused':
        this.#record(run, id, outcomes.refused, outcome.code, whyRefused(outcome));
        break;
      case 'unknown':
        this.#record(run, id, outcomes.uncertain, 0);
        break;
      case 'deferred':
        this.#putOff(run, id, outcome.code, outcome);
        break;
      case 'notAttempted':
        if (!ours && run.tear(id) >= maxTears) this.#putOff(run, id, 421, outcome);
        else this.#record(run, id, outcomes.withdrawn, 0);
    }
  }

  #putOff(
    run: RangeRun,
    id: number,
    code: number,
    { enhanced = '', text }: { readonly enhanced?: string; readonly text: string },
  ): void {
    const isLast = run.isLastDeferral(id, this.#now());
    const why = isLast ? { failure: { status: enhanced, reply: text } } : {};
    this.#record(run, id, isLast ? outcomes.expired : outcomes.deferred, code, why);
  }

  #record(run: RangeRun, id: number, state: OutcomeState, code: number, why: WhyFailed = {}): void {
    this.commit.record(run, { id, state, code, at: this.#now(), ...why });
  }

  /** A look for work found the job so. Without an open range it is over, whether or not anything can be sent on. */
  found({ state, isOpen }: Pick<FoundJob, 'state' | 'isOpen'>): void {
    this.seen(state);
    if (isOpen) return;
    this.#exhausted = true;
    this.#surroundings.wake();
  }

  /** A commit said in which state the job is. */
  seen(state: JobState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#refusals.restart();
    if (!this.#isSending) this.#drain();
    this.#surroundings.wake();
  }

  /** Begins nothing new; ranges are released as their last messages come back. */
  stop(): void {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#drain();
  }

  #drain(): void {
    for (const candidate of this.#ready.drain()) this.#giveBack(candidate);
    for (const run of this.#ranges) this.settle(run);
  }

  /** Renews leases, verifies doubtful ranges, and takes up what has come due. Called about once a second. */
  tick(): void {
    // Without a connection, who is ready would keep ranges from the processes that have one.
    if (!this.#surroundings.canSend()) this.#drain();
    for (const run of this.#ranges) {
      if (run.status === 'doubtful') this.#guarded(run, () => this.#makeSure(run));
      else this.commit.touch(run);
      this.settle(run);
    }
    if (this.#ranges.size > 0) this.#exhausted = false;
    this.fill();
  }

  /** Looks whether a range is done, or has nothing to do, and lets go of it then. */
  settle(run: RangeRun): void {
    if (run.status === 'gone') {
      this.#forget(run);
      return;
    }
    if (run.status !== 'open') return;
    if (run.isDone) {
      this.#guarded(run, () => this.#close(run));
      return;
    }
    if (run.isQuiet && this.#isIdle(run)) this.#guarded(run, () => this.#release(run));
  }

  #isIdle(run: RangeRun): boolean {
    if (!this.#isSending || !this.#surroundings.canSend()) return true;
    if (run.isLimited) return this.#ranges.hasTooManyLimited;
    return run.waitMs(this.#now()) > keepWaitingMs;
  }

  /** One such step a range at a time; a failure is retried with the next tick. */
  #guarded(run: RangeRun, step: () => Promise<void>): void {
    if (this.#busy.has(run)) return;
    this.#busy.add(run);
    step()
      .catch((error: Error) =>
        this.#parts.app.log.warn({ err: error, idJob: this.idJob }, 'range not settled'),
      )
      .finally(() => this.#busy.delete(run));
  }

  async #close(run: RangeRun): Promise<void> {
    const range = { ...run, epoch: run.epoch, finals: run.memory.finals };
    await closeRange(this.db, range, this.#parts.providers.of, this.#parts.app.clock.now());
    // Closed now, or by a commit whose answer was lost, or another process has it: not ours in any case.
    this.#forget(run);
    this.fill();
  }

  async #release(run: RangeRun): Promise<void> {
    const limitedBy = run.isLimited ? run.limitedBy : null;
    const now = this.#now();
    const wait = limitedBy ? run.retryInMs(now) : run.waitMs(now);
    const notBefore = wait > 0 && Number.isFinite(wait) ? new Date(now + wait) : null;
    this.#forget(run);
    await releaseRange(this.db, run, { notBefore, limitedBy });
  }

  async #makeSure(run: RangeRun): Promise<void> {
    if (!(await resolveInDoubt(this.db, this.#parts.holder, this.commit, run))) this.#forget(run);
    this.fill();
    this.#surroundings.wake();
  }

  #forget(run: RangeRun): void {
    this.commit.leave(run);
    this.#ranges.delete(run);
    this.#surroundings.wake();
  }
}

/**
 * Brings a doubtful range back to work once the database answers again: the range's own row says whether the commit
 * in question happened. What it carried, and what connections reported since, is then recorded, so that a restart of
 * PostgreSQL alone makes nobody uncertain.
 * @returns false when the range is no longer ours: it no longer exists, and its new holder decides about who was in
 * flight.
 */
export async function resolveInDoubt(
  db: SiteDb,
  holder: Holder,
  commit: GroupCommit,
  run: RangeRun,
): Promise<boolean> {
  const renewed = await renewAfterInDoubt(db, holder, run);
  if (!renewed) {
    commit.leave(run);
    return false;
  }
  commit.doubtful.delete(run);
  const { doubt } = run;
  run.epoch = renewed.epoch;
  run.status = 'open';
  run.doubt = undefined;
  const unrecorded = run.unrecorded.splice(0);
  if (doubt && renewed.lastCommit === doubt.number) {
    for (const outcome of doubt.outcomes) run.confirm(outcome);
  } else {
    for (const outcome of doubt?.outcomes ?? []) commit.record(run, outcome);
  }
  for (const outcome of unrecorded) commit.record(run, outcome);
  // A commit that did not happen leaves a hole in the numbers, no more.
  return true;
}
