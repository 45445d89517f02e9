import type { Suspension } from '../../alerts/suspensions.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Recipient } from '../../mail/recipient.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import type { FrozenJob } from '../frozen-job.ts';
import type { JobState } from '../job.ts';
import type { JobMessages, ReadyMessage } from '../job-messages.ts';
import { frozenJob, jobBucket } from '../job-store.ts';
import { readRecipients } from '../recipient-store.ts';
import { countMail } from '../sending-health.ts';
import { Delivery, type DeliveryOwner, type EngineParts, ReadyDeliveries, type Result } from './delivery.ts';
import { closeRange } from './finish.ts';
import type { GroupCommit } from './group-commit.ts';
import { RefusalWatch } from './halt-job.ts';
import { type FoundJob, readLog, releaseRange, takeRanges } from './lease.ts';
import { outcomes } from './outcomes.ts';
import type { HourlyLimit } from './permit-store.ts';
import { Permit } from './permits.ts';
import { HeldRanges, RangeRun } from './range-run.ts';

/** Milliseconds until connections of a provider that are all in use are requested again, if none was released. */
const awaitedAgainAfterMs = 200;
/** Milliseconds until a suspended provider is checked again. */
const suspendedAgainMs = 5_000;
/** Recipients read in one statement; at most twice as many are ready, which is 50 ms of sending at full speed. */
const batchSize = 256;
/** Number of dropped connections at which a message is deferred. */
const maxDrops = 3;
/** A range whose next recipient waits for more milliseconds than this is released until then. */
const keepWaitingMs = 2_000;

/** The engine around a running job. */
export interface Surroundings {
  /** Messages are ready, or the job's run may have ended. */
  wake(): void;
  /** Whether this process has a connection to send on; if not, ranges are left to the processes that have one. */
  canSend(): boolean;
}

interface Taken {
  readonly run: RangeRun;
  readonly recipient: Recipient;
}

/**
 * One running job in this process: leases ranges, reads recipients ahead of the connections, and records their
 * outcomes. What must outlive the process goes through GroupCommit; everything here can be lost at any moment.
 */
export class JobRun implements DeliveryOwner<Taken> {
  readonly db: SiteDb;
  readonly idJob: number;
  readonly commit: GroupCommit;
  readonly messages: JobMessages;
  readonly #parts: EngineParts;
  /** The job's own limit of messages per hour. */
  readonly #limit: HourlyLimit;
  readonly #senderDomain: string;
  readonly #surroundings: Surroundings;
  readonly #ranges = new HeldRanges();
  readonly #refusals: RefusalWatch;
  /** Ranges that are being closed, released or resolved. */
  readonly #busy = new Set<RangeRun>();
  readonly #ready: ReadyDeliveries<Taken>;
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
    this.#limit = { key: jobBucket(of.db.site.id, of.idJob), perHour: of.frozen.sendingSpeed };
    this.#senderDomain = domainOf(of.frozen.source.from.email);
    this.#surroundings = surroundings;
    this.#ready = new ReadyDeliveries(parts.providers, () => surroundings.wake());
    this.#refusals = new RefusalWatch(parts.app, of, (isHalted) => {
      if (isHalted) this.seen('Paused');
      else this.fill();
      // If a user has paused the job in the meantime, neither call reports that the run has ended.
      surroundings.wake();
    });
  }

  get readyCount(): number {
    return this.#mayTake ? this.#ready.takeable : 0;
  }

  /** Whether nothing is held any longer and nothing more can be taken, so that the engine can drop this run. */
  get isOver(): boolean {
    const isBusy = this.#ranges.size > 0 || this.#filling || this.#refusals.isHalting;
    return !isBusy && (this.#exhausted || !this.#isSending);
  }

  get #isSending(): boolean {
    return this.#state === 'Sending' && !this.#stopping && !this.#refusals.isHalting;
  }

  /** Nothing is taken while a commit is in-doubt, so that there are never many of them. */
  get #mayTake(): boolean {
    return this.#isSending && !this.commit.isInDoubt;
  }

  #now(): number {
    return this.#parts.app.clock.now().getTime();
  }

  take(): Delivery<Taken> | undefined {
    if (!this.#mayTake) return undefined;
    if (this.#ready.length <= batchSize) this.fill();
    const next = this.#ready.take();
    if (!next) this.fill();
    return next;
  }

  /** Reads recipients in the background; only one reading runs at a time. */
  fill(): void {
    if (this.#filling || !this.#isSending || !this.#surroundings.canSend()) return;
    this.#filling = true;
    this.#fillUp()
      .catch((error: Error) => {
        this.#parts.app.log.warn({ err: error, idJob: this.idJob }, 'recipients could not be read; retrying');
        this.#fillAfter(1_000);
      })
      .finally(() => {
        this.#filling = false;
        // If the job was paused or stopped in the meantime, what was just read is released.
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
    const { hourly } = this.#parts;
    const { acquired, waitMs } = await hourly.acquire(this.#limit, batchSize);
    if (waitMs > 0) this.#fillAfter(waitMs);
    const taken = this.#ranges.take(acquired, this.#now());
    hourly.release(this.#limit, acquired - taken.length);
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
      this.#parts.hourly.release(this.#limit, taken.length);
      throw error;
    }
  }

  async #prepare(run: RangeRun, id: number, recipient: Recipient | undefined, readAt: number): Promise<void> {
    const parts = this.#parts;
    const permit = new Permit(parts.hourly, [this.#limit]);
    if (!recipient) {
      permit.release();
      this.#record(run, id, { state: outcomes.cancelled, code: 0 });
      return;
    }
    const provider = parts.providers.of(recipient.domain);
    if (await this.#acquire(permit, provider)) {
      const of = { idSite: this.db.site.id, provider, domain: recipient.domain, permit, readAt };
      this.#ready.push(new Delivery(parts, this, { run, recipient }, of));
      return;
    }
    permit.release();
    run.park(id, provider);
  }

  /** Acquires one of a provider's messages per hour. If none is left, pauses the provider and returns false. */
  async #acquire(permit: Permit, provider: number): Promise<boolean> {
    if (this.#waitMs(provider) > 0) return false;
    const { providers } = this.#parts;
    // An error parks the recipient: the others that were taken with it must not be taken a second time.
    const waitMs = await permit.acquire(providers.hourlyLimit(provider)).catch(() => 1_000);
    if (waitMs > 0) providers.pause(provider, waitMs);
    return waitMs === 0;
  }

  get #suspensions(): readonly Suspension[] {
    return this.#parts.suspensions.of(this.db.site.id, this.#senderDomain);
  }

  /** Whether sending to a provider is suspended because of complaints. */
  #isSuspended(provider: number): boolean {
    return this.#suspensions.some(({ idProvider }) => idProvider === provider);
  }

  /** Why recipients wait for a suspended provider, for the job's users; undefined if none does. */
  get suspension(): string | undefined {
    const { limitedBy } = this.#ranges;
    const own = this.#suspensions.filter(({ idProvider }) => limitedBy.includes(idProvider));
    if (own.length === 0) return undefined;
    const names = own.map(({ provider, id }) => `${provider} (alert ${id})`).join(', ');
    return `Sending is suspended because of complaints at ${names}; the messages wait`;
  }

  /** Milliseconds until a provider's recipients are worth reading; 0 means now. */
  #waitMs(provider: number): number {
    if (this.#ready.isAwaited(provider)) return awaitedAgainAfterMs;
    return this.#isSuspended(provider) ? suspendedAgainMs : this.#parts.providers.waitMs(provider);
  }

  #fillAfter(ms: number): void {
    if (this.#timer || this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, ms);
  }

  async #leaseMore(): Promise<void> {
    // Requested again with the next tick only, not for each of the last messages.
    if (this.#exhausted || this.#ranges.waitMs(this.#now()) <= 0) return;
    for (const run of this.#ranges.limited) this.settle(run);
    if (!this.#ranges.hasRoom) return;
    const leased = await takeRanges(this.db, this.#parts.holder, this.idJob, 1, {
      held: [...this.#ranges].map((run) => run.number),
      at: this.#parts.app.clock.now(),
      fullProviders: this.#ranges.isFullOfLimited
        ? [...this.#ranges.limitedBy, ...this.#ready.awaited, ...this.#parts.providers.paused]
        : [],
    });
    this.#exhausted = leased.length === 0;
    for (const range of leased) {
      await this.messages.know(range.idSent, () => frozenJob(this.db, this.idJob));
      const log = await readLog(this.db, this.idJob, range.number);
      const run = new RangeRun(range, log, this.#parts.retry, (provider) => this.#waitMs(provider));
      this.#ranges.add(run);
      // Messages that an earlier holder had in flight are reported, never sent again automatically.
      for (const id of run.unknown) {
        this.#record(run, id, { state: outcomes.uncertain, code: 0 });
        countMail(this.#parts.app, { idSite: this.db.site.id, idProvider: 0 }, 'uncertain');
      }
      this.settle(run);
    }
  }

  about({ recipient }: Taken): { idJob: number; id: number } {
    return { idJob: this.idJob, id: recipient.id };
  }

  maySend({ run }: Taken, provider: number): boolean {
    return run.status === 'open' && !this.#isSuspended(provider);
  }

  make({ run, recipient }: Taken): Promise<ReadyMessage> {
    return this.messages.make(run.idSent, recipient);
  }

  intend({ run, recipient }: Taken): Promise<void> {
    return this.commit.intend(run, recipient.id);
  }

  triedSince({ run, recipient }: Taken): number | undefined {
    return run.triedSince(recipient.id);
  }

  countDrop({ run, recipient }: Taken): boolean {
    return run.countDrop(recipient.id) >= maxDrops;
  }

  heard(outcome: DeliveryOutcome): void {
    this.#refusals.heard(outcome);
  }

  record({ run, recipient }: Taken, result: Result): void {
    this.#record(run, recipient.id, result);
  }

  #record(run: RangeRun, id: number, result: Result): void {
    this.commit.record(run, { id, at: this.#now(), ...result });
  }

  putBack({ run, recipient }: Taken): void {
    run.putBack(recipient.id);
  }

  park({ run, recipient }: Taken, provider: number): void {
    run.park(recipient.id, provider);
  }

  unpark({ run, recipient }: Taken, provider: number): boolean {
    return run.unpark(recipient.id, provider);
  }

  /** Notes what a poll found. Without an open range the run has ended, even if no connection is available. */
  found({ state, isOpen }: Pick<FoundJob, 'state' | 'isOpen'>): void {
    this.seen(state);
    if (isOpen) return;
    this.#exhausted = true;
    this.#surroundings.wake();
  }

  /** Notes the job's state, as a commit or a poll has read it. */
  seen(state: JobState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#refusals.restart();
    if (!this.#isSending) this.#drain();
    this.#surroundings.wake();
  }

  /** Begins nothing new; ranges are released when their last messages have an outcome. */
  stop(): void {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#drain();
    this.#parts.hourly.forget(this.#limit.key);
  }

  #drain(): void {
    this.#ready.release();
    for (const run of this.#ranges) this.settle(run);
  }

  /** Renews leases, resolves in-doubt ranges, and reads recipients that are due. Called about once a second. */
  tick(): void {
    // Without a connection, recipients that are ready would keep ranges from the processes that have one.
    if (!this.#surroundings.canSend()) this.#drain();
    for (const run of this.#ranges) {
      if (run.status === 'in-doubt') this.#guarded(run, () => this.#resolve(run));
      else this.commit.touch(run);
      this.settle(run);
    }
    if (this.#ranges.size > 0) this.#exhausted = false;
    this.fill();
  }

  /** Closes a range that is done, and releases one that has nothing to do. */
  settle(run: RangeRun): void {
    if (run.status === 'gone') this.#forget(run);
    if (run.status !== 'open') return;
    if (run.isDone) this.#guarded(run, () => this.#close(run));
    else if (run.isQuiet && this.#isIdle(run)) this.#guarded(run, () => this.#release(run));
  }

  #isIdle(run: RangeRun): boolean {
    if (!this.#isSending || !this.#surroundings.canSend()) return true;
    if (run.isLimited) return this.#ranges.hasTooManyLimited;
    return run.waitMs(this.#now()) > keepWaitingMs;
  }

  /** Runs one step of a range at a time; a step that fails is retried with the next tick. */
  #guarded(run: RangeRun, step: () => Promise<void>): void {
    if (this.#busy.has(run)) return;
    this.#busy.add(run);
    step()
      .catch((error: Error) =>
        this.#parts.app.log.warn({ err: error, idJob: this.idJob }, 'range could not be settled; retrying'),
      )
      .finally(() => this.#busy.delete(run));
  }

  async #close(run: RangeRun): Promise<void> {
    const range = { ...run, epoch: run.epoch, finals: run.memory.finals };
    await closeRange(this.db, range, this.#parts.providers.of, this.#parts.app.clock.now());
    // Closed now, or by a commit whose reply was lost, or held by another process: no longer ours in any case.
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

  async #resolve(run: RangeRun): Promise<void> {
    if (!(await this.commit.resolve(run))) this.#forget(run);
    this.fill();
    this.#surroundings.wake();
  }

  #forget(run: RangeRun): void {
    this.commit.leave(run);
    this.#ranges.delete(run);
    this.#surroundings.wake();
  }
}
