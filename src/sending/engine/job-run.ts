import type { MailboxRefusal } from '../../activity/bounce.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import type { FrozenJob } from '../frozen-job.ts';
import type { JobState } from '../job.ts';
import { frozenJob } from '../job-store.ts';
import { type Recipient, readRecipients } from '../recipient-store.ts';
import type { DeliveryOutcome } from '../smtp/outcome.ts';
import type { Candidate, Supply } from './candidate.ts';
import { resolveDoubt } from './doubt.ts';
import type { EngineParts } from './engine-parts.ts';
import { closeRange } from './finish.ts';
import type { GroupCommit } from './group-commit.ts';
import type { JobMessages, ReadyMessage } from './job-messages.ts';
import { readLog, releaseRange, takeRanges } from './lease.ts';
import { type OutcomeState, outcomes } from './range-memory.ts';
import { RangeRun } from './range-run.ts';
import { refusalOf } from './refusal.ts';
import { RefusalWatch } from './refusal-watch.ts';
import { isOver } from './retry.ts';

/** What a job at work is told and tells. */
export interface Surroundings {
  /** Candidates are ready, or the job may be over. */
  wake(): void;
  /** Whether this process has a connection to send on: without one, ranges are left to those that have. */
  canSend(): boolean;
}

/** A recipient of a job. */
class JobCandidate implements Candidate {
  readonly supply: JobRun;
  readonly run: RangeRun;
  readonly recipient: Recipient;
  readonly provider: number;
  /** performance.now() when the recipient's row was read. */
  readonly readAt: number;

  constructor(job: JobRun, run: RangeRun, recipient: Recipient, provider: number, readAt: number) {
    this.supply = job;
    this.run = run;
    this.recipient = recipient;
    this.provider = provider;
    this.readAt = readAt;
  }

  get about(): { idJob: number; id: number } {
    return { idJob: this.supply.idJob, id: this.recipient.id };
  }

  make(): Promise<ReadyMessage> {
    return this.supply.messages.make(this.run.idSent, this.recipient);
  }

  intend(): Promise<void> {
    return this.supply.commit.intend(this.run, this.recipient.id);
  }

  delivered(outcome: DeliveryOutcome, ours: boolean): void {
    this.supply.delivered(this, outcome, ours);
  }
}

/** Ranges of a job that one process works on at a time: enough that one which only waits does not hold up the rest. */
const maxRanges = 6;
/** Recipients read in one statement, and kept ready at the most twice that: 50 ms of sending at full speed. */
const batchSize = 256;
/** Who was read longer ago is read again before the message is made, so an unsubscription is heard within this. */
const staleAfterMs = 5_000;
/** A message that breaks this many connections waits like one that was put off. */
const maxTears = 3;
/** A range whose next recipient waits longer than this is given back until then. */
const keepWaitingMs = 2_000;

/**
 * One job at work in this process: leases ranges, reads recipients ahead of the connections, takes their outcomes.
 * All that must outlive the process goes through GroupCommit; everything here can be lost at any moment.
 */
export class JobRun implements Supply {
  readonly db: SiteDb;
  readonly idJob: number;
  readonly commit: GroupCommit;
  readonly messages: JobMessages;
  readonly #parts: EngineParts;
  readonly #frozen: FrozenJob;
  readonly #surroundings: Surroundings;
  readonly #refusals: RefusalWatch;
  readonly #ranges = new Set<RangeRun>();
  /** Ranges that are being closed, given back or made sure of. */
  readonly #busy = new Set<RangeRun>();
  #ready: JobCandidate[] = [];
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
    this.#refusals = new RefusalWatch(parts.app, of, (isHalted) =>
      isHalted ? this.seen('Paused') : this.fill(),
    );
  }

  /** How many a connection could take now; none while a commit is in doubt, so that doubts do not add up. */
  get readyCount(): number {
    return this.commit.doubtful.size > 0 || !this.#isSending ? 0 : this.#ready.length;
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
    for (let next = this.#ready.shift(); next; next = this.#ready.shift()) {
      const { run, recipient, provider } = next;
      if (run.status === 'open' && performance.now() - next.readAt <= staleAfterMs) {
        if (this.#parts.providers.enter(provider)) return next;
        run.hold(recipient.id, 200);
      } else {
        run.putBack(recipient.id);
      }
      this.#unspent(1);
    }
    this.fill();
    return undefined;
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
        // Paused or stopped meanwhile: what was just made ready goes back.
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
    if (!this.#hasWork()) return false;
    const speed = this.#frozen.sendingSpeed;
    const { given, waitMs } = await this.#parts.limits.take(this.#speedKey, speed, batchSize);
    if (waitMs > 0) this.#fillAfter(waitMs);
    const taken = this.#takeFromRanges(given);
    this.#unspent(given - taken.length);
    if (taken.length === 0) return false;
    const recipients = await this.#read(taken);
    const readAt = performance.now();
    for (const { run, id } of taken) await this.#prepare(run, id, recipients.get(id), readAt);
    return true;
  }

  async #read(taken: readonly { run: RangeRun; id: number }[]): Promise<Map<number, Recipient>> {
    try {
      const ids = taken.map(({ id }) => id);
      return await readRecipients(this.db, ids, this.messages.fields);
    } catch (error) {
      for (const { run, id } of taken) run.putBack(id);
      this.#unspent(taken.length);
      throw error;
    }
  }

  #takeFromRanges(count: number): { run: RangeRun; id: number }[] {
    const now = this.#now();
    const taken: { run: RangeRun; id: number }[] = [];
    for (const run of this.#ranges) {
      while (taken.length < count) {
        const id = run.take(now);
        if (id === undefined) break;
        taken.push({ run, id });
      }
    }
    return taken;
  }

  async #prepare(run: RangeRun, id: number, recipient: Recipient | undefined, readAt: number): Promise<void> {
    if (!recipient) {
      this.#unspent(1);
      this.#record(run, id, outcomes.cancelled, 0);
      return;
    }
    const provider = this.#parts.providers.of(recipient.domain);
    const perHour = this.#parts.providers.messagesPerHour(provider);
    const { given, waitMs } = await this.#parts.limits
      .take(`provider:${provider}`, perHour, 1)
      // Set aside: the others that were taken with it must not be taken a second time.
      .catch(() => ({ given: 0, waitMs: 1_000 }));
    if (given === 0) {
      this.#unspent(1);
      run.hold(id, waitMs);
      return;
    }
    this.#ready.push(new JobCandidate(this, run, recipient, provider, readAt));
  }

  get #speedKey(): string {
    return `job:${this.db.site.id}:${this.idJob}`;
  }

  #unspent(tokens: number): void {
    if (this.#frozen.sendingSpeed > 0 && tokens > 0) this.#parts.limits.giveBack(this.#speedKey, tokens);
  }

  #fillAfter(ms: number): void {
    if (this.#timer || this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, ms);
  }

  #hasWork(): boolean {
    const now = this.#now();
    return [...this.#ranges].some((run) => run.status === 'open' && run.hasWork(now));
  }

  async #leaseMore(): Promise<void> {
    // Asked again with the next tick only, not for each message of the tail.
    if (this.#exhausted || this.#ranges.size >= maxRanges || this.#hasWork()) return;
    const held = [...this.#ranges].map((run) => run.number);
    const at = this.#parts.app.clock.now();
    const leased = await takeRanges(this.db, this.#parts.holder, this.idJob, 1, held, at);
    this.#exhausted = leased.length === 0;
    for (const range of leased) {
      await this.messages.know(range.idSent, () => frozenJob(this.db, this.idJob));
      const log = await readLog(this.db, this.idJob, range.number);
      const run = new RangeRun(range, log, this.#parts.retry);
      this.#ranges.add(run);
      // What an earlier holder took with it: reported, never sent again by itself.
      for (const id of run.unknown) this.#record(run, id, outcomes.uncertain, 0);
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
        this.#record(run, id, outcomes.refused, outcome.code, refusalOf(outcome));
        break;
      case 'unknown':
        this.#record(run, id, outcomes.uncertain, 0);
        break;
      case 'deferred':
        this.#putOff(run, id, outcome.code);
        break;
      case 'notAttempted':
        if (!ours && run.tear(id) >= maxTears) this.#putOff(run, id, 421);
        else this.#record(run, id, outcomes.withdrawn, 0);
    }
  }

  #putOff(run: RangeRun, id: number, code: number): void {
    const firstAt = run.memory.deferred.get(id)?.firstAt ?? this.#now();
    const state = isOver(this.#parts.retry, firstAt, this.#now()) ? outcomes.expired : outcomes.deferred;
    this.#record(run, id, state, code);
  }

  #record(run: RangeRun, id: number, state: OutcomeState, code: number, refusal?: MailboxRefusal): void {
    this.commit.record(run, { id, state, code, at: this.#now(), ...(refusal && { refusal }) });
  }

  /** A commit said in which state the job is. */
  seen(state: JobState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#refusals.restart();
    if (!this.#isSending) this.#drain();
    this.#surroundings.wake();
  }

  /** Begins nothing new; ranges are given back as their last messages come back. */
  stop(): void {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#drain();
  }

  #drain(): void {
    for (const { run, recipient } of this.#ready.splice(0)) run.putBack(recipient.id);
    for (const run of this.#ranges) this.settle(run);
  }

  /** Renews leases, makes sure of doubtful ranges, and takes up what has come due. Called about once a second. */
  tick(): void {
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
    const wait = run.waitMs(this.#now());
    const isIdle = !this.#isSending || wait > keepWaitingMs;
    if (run.isQuiet && isIdle) this.#guarded(run, () => this.#release(run, wait));
  }

  /** One such step a range at a time; a failure is tried again with the next tick. */
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

  async #release(run: RangeRun, wait: number): Promise<void> {
    this.#forget(run);
    const notBefore = wait > 0 && Number.isFinite(wait) ? new Date(this.#now() + wait) : null;
    await releaseRange(this.db, run, notBefore);
  }

  async #makeSure(run: RangeRun): Promise<void> {
    if (!(await resolveDoubt(this.db, this.#parts.holder, this.commit, run))) this.#forget(run);
    this.fill();
    this.#surroundings.wake();
  }

  #forget(run: RangeRun): void {
    run.leave();
    this.#ranges.delete(run);
    this.#surroundings.wake();
  }
}
