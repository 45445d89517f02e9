import { keptIn } from '../../platform/remembered.ts';
import type { LeasedRange } from './lease.ts';
import {
  applyOutcome,
  type Deferral,
  emptyMemory,
  foldLog,
  type LogRow,
  type Outcome,
  outcomes,
  type RangeMemory,
  type RetryPolicy,
  retryAt,
} from './outcomes.ts';

/** Returns the milliseconds until recipients of a provider are worth reading; 0 means now. */
type WaitFor = (provider: number) => number;

/** A group commit whose result is unknown. */
interface InDoubtCommit {
  readonly number: number;
  readonly outcomes: readonly Outcome[];
}

/**
 * A leased range: recipients still to be attempted, those in flight, and the outcomes of the others. `memory` holds
 * only what a commit has confirmed, which is what the log contains if this process dies now.
 */
export class RangeRun {
  readonly idJob: number;
  readonly number: number;
  readonly idSent: number;
  readonly subscribers: readonly number[];
  epoch: number;
  lastCommit: number;
  /**
   * open: recipients are attempted. in-doubt: the result of a commit is unknown, and nothing new begins. gone: another
   * process holds the range, or it was released; nothing more is recorded here.
   */
  status: 'open' | 'in-doubt' | 'gone' = 'open';
  inDoubt: InDoubtCommit | undefined;
  /** Outcomes that are not confirmed, kept while a commit is in-doubt. */
  readonly unrecorded: Outcome[] = [];
  readonly memory: RangeMemory;
  readonly #retry: RetryPolicy;
  /** Milliseconds since 1970. */
  readonly #resumedAt: number;
  readonly #waitFor: WaitFor;
  readonly #pending: number[];
  /** Recipients that were taken and have no confirmed outcome. */
  readonly #inFlight = new Set<number>();
  /** Recipients by the provider whose limit is reached, parked until it has room; not recorded in the log. */
  readonly #parked = new Map<number, Set<number>>();
  /** Recipients whose intent was requested and whose outcome is not confirmed yet. */
  readonly #intended = new Set<number>();
  readonly #drops = new Map<number, number>();

  constructor(range: LeasedRange, log: readonly LogRow[], retry: RetryPolicy, waitFor: WaitFor = () => 0) {
    this.idJob = range.idJob;
    this.number = range.number;
    this.idSent = range.idSent;
    this.subscribers = range.subscribers;
    this.epoch = range.epoch;
    this.lastCommit = range.lastCommit;
    this.#retry = retry;
    this.#resumedAt = range.resumedAt?.getTime() ?? 0;
    this.#waitFor = waitFor;
    this.memory = log.length > 0 ? foldLog(log) : emptyMemory();
    const { finals, deferred, unknown } = this.memory;
    const isOpen = (id: number) => !finals.has(id) && !deferred.has(id) && !unknown.has(id);
    this.#pending = range.subscribers.filter(isOpen).reverse();
    // In flight until the caller has recorded them as uncertain, so that they are not attempted.
    for (const id of unknown) this.#inFlight.add(id);
  }

  /** Recipients whose outcome an earlier holder did not record. */
  get unknown(): readonly number[] {
    return [...this.memory.unknown];
  }

  get isDone(): boolean {
    return this.memory.finals.size === this.subscribers.length;
  }

  /** Whether no recipient is taken or waits for a commit. */
  get isQuiet(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Whether all recipients that could be attempted wait for the limit of a provider. */
  get isLimited(): boolean {
    return this.#pending.length === 0 && this.#parked.size > 0;
  }

  /** The providers whose limits its recipients wait for. */
  get limitedBy(): number[] {
    return [...this.#parked.keys()];
  }

  /** Takes the next recipient that was not attempted yet. */
  takeUntried(): number | undefined {
    return this.#take(() => this.#pending.pop());
  }

  /** Takes the next recipient that was parked or deferred and is due at `now` (ms since 1970). */
  takeDue(now: number): number | undefined {
    return this.#take(() => this.#due(now));
  }

  #take(next: () => number | undefined): number | undefined {
    if (this.status !== 'open') return undefined;
    for (;;) {
      const id = next();
      if (id === undefined) return undefined;
      // Never the same recipient twice at a time, even if something listed it twice.
      if (this.#inFlight.has(id) || this.memory.finals.has(id)) continue;
      this.#inFlight.add(id);
      return id;
    }
  }

  /** Returns a recipient that was taken and not attempted. */
  putBack(id: number): void {
    if (this.#inFlight.delete(id) && !this.memory.deferred.has(id)) this.#pending.push(id);
  }

  /** Returns a recipient that was taken, to be attempted when its provider has room. */
  park(id: number, provider: number): void {
    if (!this.#inFlight.delete(id)) return;
    keptIn(this.#parked, provider, () => new Set()).add(id);
  }

  /** Takes a parked recipient; returns false if it is no longer parked, or the range is not open. */
  unpark(id: number, provider: number): boolean {
    return this.#take(() => (this.#removeParked(id, provider) ? id : undefined)) !== undefined;
  }

  #removeParked(id: number, provider: number): boolean {
    const ids = this.#parked.get(provider);
    if (!ids?.delete(id)) return false;
    if (ids.size === 0) this.#parked.delete(provider);
    return true;
  }

  /** Counts a connection that dropped during a recipient's message, before the final dot. Returns the number so far. */
  countDrop(id: number): number {
    const drops = (this.#drops.get(id) ?? 0) + 1;
    this.#drops.set(id, drops);
    return drops;
  }

  /** Notes that a recipient's message is about to be sent; returns false if it must not be, as it may already be. */
  intend(id: number): boolean {
    if (this.#intended.has(id) || this.memory.finals.has(id) || this.memory.unknown.has(id)) return false;
    this.#intended.add(id);
    return true;
  }

  /** Applies an outcome that is in the log permanently. */
  confirm(outcome: Outcome): void {
    applyOutcome(this.memory, outcome);
    this.#inFlight.delete(outcome.id);
    this.#intended.delete(outcome.id);
    if (outcome.state === outcomes.withdrawn && !this.memory.deferred.has(outcome.id)) {
      this.#pending.push(outcome.id);
    }
    if (outcome.state !== outcomes.withdrawn) this.#drops.delete(outcome.id);
  }

  /** Milliseconds from `now` until a recipient can be taken; Infinity if none waits. */
  waitMs(now: number): number {
    if (this.#pending.length > 0) return 0;
    let wait = this.retryInMs(now);
    for (const provider of this.#parked.keys()) wait = Math.min(wait, this.#waitFor(provider));
    return wait;
  }

  /** Milliseconds from `now` until a deferred recipient is to be retried; Infinity if none is deferred. */
  retryInMs(now: number): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const [id, deferral] of this.memory.deferred) {
      if (!this.#inFlight.has(id) && !this.#isParked(id))
        wait = Math.min(wait, this.#retryAt(deferral) - now);
    }
    return wait;
  }

  #due(now: number): number | undefined {
    for (const [provider, ids] of this.#parked) {
      if (this.#waitFor(provider) > 0) continue;
      const [id] = ids;
      this.#removeParked(id!, provider);
      return id;
    }
    for (const [id, deferral] of this.memory.deferred) {
      if (!this.#inFlight.has(id) && !this.#isParked(id) && this.#retryAt(deferral) <= now) return id;
    }
    return undefined;
  }

  #isParked(id: number): boolean {
    for (const ids of this.#parked.values()) if (ids.has(id)) return true;
    return false;
  }

  /**
   * Time since when a deferred recipient counts as attempted, in ms since 1970; undefined if it was not deferred. Time
   * before the job was resumed does not count, because nothing was attempted in a pause.
   */
  triedSince(id: number): number | undefined {
    const deferral = this.memory.deferred.get(id);
    return deferral && Math.max(deferral.firstAt, this.#resumedAt);
  }

  #retryAt({ attempts, firstAt, lastAt }: Deferral): number {
    return retryAt(this.#retry, { attempts, firstAt: Math.max(firstAt, this.#resumedAt), lastAt });
  }
}

/** Ranges of a job that one process works on at a time, so that one that only waits does not delay the others. */
const maxInWork = 6;
/** Limited ranges that are kept besides; more of them are released. */
const maxLimited = 6;

/** The ranges of one job that this process holds. */
export class HeldRanges extends Set<RangeRun> {
  /** The open ranges in which all recipients that could be attempted wait for the limit of a provider. */
  get limited(): RangeRun[] {
    return [...this].filter((run) => run.status === 'open' && run.isLimited);
  }

  /** Whether another range may be leased. */
  get hasRoom(): boolean {
    return this.size - this.limited.length < maxInWork;
  }

  /** Whether there are more limited ranges than it takes to keep their providers busy. */
  get hasTooManyLimited(): boolean {
    return this.limited.length > maxLimited;
  }

  /** Whether no further limited range is worth a lease, unless it waits for a provider that has room. */
  get isFullOfLimited(): boolean {
    return this.limited.length >= maxLimited;
  }

  /** The providers that the limited ranges wait for. */
  get limitedBy(): number[] {
    return [...new Set(this.limited.flatMap((run) => run.limitedBy))];
  }

  /** Milliseconds from `now` (since 1970) until a recipient can be taken; Infinity if none waits. */
  waitMs(now: number): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const run of this) {
      if (run.status === 'open') wait = Math.min(wait, run.waitMs(now));
      if (wait <= 0) break;
    }
    return wait;
  }

  /** Takes up to `count` recipients that can be attempted at `now`. */
  take(count: number, now: number): { run: RangeRun; id: number }[] {
    const taken: { run: RangeRun; id: number }[] = [];
    const takeFrom = (run: RangeRun, next: () => number | undefined) => {
      while (taken.length < count) {
        const id = next();
        if (id === undefined) return;
        taken.push({ run, id });
      }
    };
    // Recipients that wait for the limit of a provider must not delay the reading of those that do not.
    for (const run of this) takeFrom(run, () => run.takeUntried());
    for (const run of this) takeFrom(run, () => run.takeDue(now));
    return taken;
  }
}
