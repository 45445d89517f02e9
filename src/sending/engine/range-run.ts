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
} from './range-memory.ts';
import type { ProviderPauses } from './rate-limit.ts';
import { isOver, type RetryPolicy, retryAt } from './retry.ts';

/** Reports for how long nothing is asked of a provider. */
type Pauses = Pick<ProviderPauses, 'waitMs'>;

/** A group commit of which nobody knows whether it happened. */
interface DoubtfulCommit {
  readonly number: number;
  readonly outcomes: readonly Outcome[];
}

/**
 * A leased range at work: who is still to be attempted, who is in flight, what is known of the rest. `memory` holds
 * only what a commit has confirmed; what the log will say if this process dies now.
 */
export class RangeRun {
  readonly idJob: number;
  readonly number: number;
  readonly idSent: number;
  readonly subscribers: readonly number[];
  epoch: number;
  lastCommit: number;
  /**
   * open: at work. doubtful: a commit's outcome is unknown, nothing new is begun. gone: another process holds the
   * range, or it was released; nothing more is recorded here.
   */
  status: 'open' | 'doubtful' | 'gone' = 'open';
  doubt: DoubtfulCommit | undefined;
  /** Outcomes that are not confirmed, kept while the range is doubtful. */
  readonly unrecorded: Outcome[] = [];
  readonly memory: RangeMemory;
  readonly #retry: RetryPolicy;
  /** Milliseconds since 1970. */
  readonly #resumedAt: number;
  readonly #pauses: Pauses;
  readonly #pending: number[];
  /** Taken from here and without a confirmed outcome. */
  readonly #inFlight = new Set<number>();
  /** Recipients by the provider whose limit is reached, queued until its pause ends; not recorded in the log. */
  readonly #held = new Map<number, Set<number>>();
  /** Whose intent was requested and who has no confirmed outcome since. */
  readonly #intended = new Set<number>();
  readonly #tears = new Map<number, number>();

  constructor(range: LeasedRange, log: readonly LogRow[], retry: RetryPolicy, pauses: Pauses) {
    this.idJob = range.idJob;
    this.number = range.number;
    this.idSent = range.idSent;
    this.subscribers = range.subscribers;
    this.epoch = range.epoch;
    this.lastCommit = range.lastCommit;
    this.#retry = retry;
    this.#resumedAt = range.resumedAt?.getTime() ?? 0;
    this.#pauses = pauses;
    this.memory = log.length > 0 ? foldLog(log) : emptyMemory();
    const { finals, deferred, unknown } = this.memory;
    const isOpen = (id: number) => !finals.has(id) && !deferred.has(id) && !unknown.has(id);
    this.#pending = range.subscribers.filter(isOpen).reverse();
    // Recorded as uncertain by anyone who made this; in flight until then, so that nobody tries them.
    for (const id of unknown) this.#inFlight.add(id);
  }

  /** Recipients whose fate an earlier holder took with it. */
  get unknown(): readonly number[] {
    return [...this.memory.unknown];
  }

  get isDone(): boolean {
    return this.memory.finals.size === this.subscribers.length;
  }

  /** Nobody of it is taken or waits for a commit. */
  get isQuiet(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Whether nobody is left in it who could be attempted but for the limit of a provider. */
  get isLimited(): boolean {
    return this.#pending.length === 0 && this.#held.size > 0;
  }

  /** The providers whose limits its recipients wait for. */
  get limitedBy(): number[] {
    return [...this.#held.keys()];
  }

  /** The next recipient who was not tried yet. */
  takeUntried(): number | undefined {
    return this.#take(() => this.#pending.pop());
  }

  /** The next recipient whose limit may be asked again, or who was deferred and is due at `now` (ms since 1970). */
  takeDue(now: number): number | undefined {
    return this.#take(() => this.#due(now));
  }

  #take(next: () => number | undefined): number | undefined {
    if (this.status !== 'open') return undefined;
    for (;;) {
      const id = next();
      if (id === undefined) return undefined;
      // Never two of one recipient, whatever put them on the list twice.
      if (this.#inFlight.has(id) || this.memory.finals.has(id)) continue;
      this.#inFlight.add(id);
      return id;
    }
  }

  /** Returns one that was taken and not tried. */
  putBack(id: number): void {
    if (this.#inFlight.delete(id) && !this.memory.deferred.has(id)) this.#pending.push(id);
  }

  /** Returns a recipient that was taken; it is not attempted before the pause of its provider ends. */
  hold(id: number, provider: number): void {
    if (!this.#inFlight.delete(id)) return;
    const known = this.#held.get(provider);
    if (known) known.add(id);
    else this.#held.set(provider, new Set([id]));
  }

  /** Takes one that was set aside for a provider; false when that cannot be, or another caller has. */
  takeHeld(id: number, provider: number): boolean {
    return this.#take(() => (this.#unhold(id, provider) ? id : undefined)) !== undefined;
  }

  #unhold(id: number, provider: number): boolean {
    const ids = this.#held.get(provider);
    if (!ids?.delete(id)) return false;
    if (ids.size === 0) this.#held.delete(provider);
    return true;
  }

  /** Counts connections that broke in the midst of a recipient's message, before the final dot. */
  tear(id: number): number {
    const tears = (this.#tears.get(id) ?? 0) + 1;
    this.#tears.set(id, tears);
    return tears;
  }

  /** Notes that a recipient's message is about to leave; false when it must not: it may have left already. */
  intend(id: number): boolean {
    if (this.#intended.has(id) || this.memory.finals.has(id) || this.memory.unknown.has(id)) return false;
    this.#intended.add(id);
    return true;
  }

  /** Enters an outcome that is in the log permanently. */
  confirm(outcome: Outcome): void {
    applyOutcome(this.memory, outcome);
    this.#inFlight.delete(outcome.id);
    this.#intended.delete(outcome.id);
    if (outcome.state === outcomes.withdrawn && !this.memory.deferred.has(outcome.id)) {
      this.#pending.push(outcome.id);
    }
    if (outcome.state !== outcomes.withdrawn) this.#tears.delete(outcome.id);
  }

  /** Milliseconds from `now` until somebody can be taken; Infinity when nobody waits. */
  waitMs(now: number): number {
    if (this.#pending.length > 0) return 0;
    let wait = this.retryInMs(now);
    for (const provider of this.#held.keys()) wait = Math.min(wait, this.#pauses.waitMs(provider));
    return wait;
  }

  /** Milliseconds from `now` until somebody who was deferred is to be retried; Infinity when there is nobody. */
  retryInMs(now: number): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const [id, deferral] of this.memory.deferred) {
      if (!this.#inFlight.has(id) && !this.#isHeld(id)) wait = Math.min(wait, this.#retryAt(deferral) - now);
    }
    return wait;
  }

  /** Closes the range to all that may still come back from connections. */
  leave(): void {
    this.status = 'gone';
  }

  #due(now: number): number | undefined {
    for (const [provider, ids] of this.#held) {
      if (this.#pauses.waitMs(provider) > 0) continue;
      const [id] = ids;
      this.#unhold(id!, provider);
      return id;
    }
    for (const [id, deferral] of this.memory.deferred) {
      if (!this.#inFlight.has(id) && !this.#isHeld(id) && this.#retryAt(deferral) <= now) return id;
    }
    return undefined;
  }

  #isHeld(id: number): boolean {
    for (const ids of this.#held.values()) if (ids.has(id)) return true;
    return false;
  }

  /** Whether a deferral at `now` (ms since 1970) is the last one of a recipient. */
  isLastDeferral(id: number, now: number): boolean {
    const deferral = this.memory.deferred.get(id);
    return isOver(this.#retry, deferral ? this.#triedSince(deferral) : now, now);
  }

  #retryAt(deferral: Deferral): number {
    const { attempts, lastAt } = deferral;
    return retryAt(this.#retry, { attempts, firstAt: this.#triedSince(deferral), lastAt });
  }

  /** What passed before the job was set going is not held against anybody: nothing was attempted in a pause. */
  #triedSince({ firstAt }: Deferral): number {
    return Math.max(firstAt, this.#resumedAt);
  }
}
