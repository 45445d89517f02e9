import type { Connection } from '../../platform/db/database.ts';
import { keptIn } from '../../platform/remembered.ts';
import {
  acquireConnections,
  acquireMessages,
  demandConnections,
  type HourlyLimit,
  permitLeaseMs,
  releaseConnections,
  shareOf,
  withdrawDemand,
} from './permit-store.ts';

/**
 * The right to send one message: one message of each hourly limit that concerns it, and a connection to its provider.
 * It is acquired before the message is built, spent if the message is attempted, and released if it is not.
 */
export class Permit {
  readonly #hourly: HourlyPermits;
  readonly #limits: HourlyLimit[];
  #connections: ConnectionPermits | undefined;

  /** @param limits the hourly limits of which a message is already acquired */
  constructor(hourly: HourlyPermits, limits: readonly HourlyLimit[] = []) {
    this.#hourly = hourly;
    this.#limits = [...limits];
  }

  /** Acquires a message of another limit. Returns 0, or the milliseconds until another attempt is worthwhile. */
  async acquire(limit: HourlyLimit): Promise<number> {
    if (limit.perHour === 0) return 0;
    const { acquired, waitMs } = await this.#hourly.acquire(limit, 1);
    if (acquired === 0) return waitMs;
    this.#limits.push(limit);
    return 0;
  }

  /** Acquires a connection. Only if one is free. */
  connect(connections: ConnectionPermits): void {
    connections.acquire();
    this.#connections = connections;
  }

  /** Takes over what another permit has acquired. */
  include(other: Permit): void {
    this.#limits.push(...other.#limits.splice(0));
  }

  /** Ends the permit after an attempt: its connection is free again. */
  spend(): void {
    this.#limits.length = 0;
    this.release();
  }

  /** Ends the permit without an attempt: everything that it acquired is free again. */
  release(): void {
    for (const limit of this.#limits.splice(0)) this.#hourly.release(limit, 1);
    this.#connections?.release();
    this.#connections = undefined;
  }
}

interface Acquired {
  messages: number;
  /** Time before which the bucket is empty (performance.now()). */
  emptyUntil: number;
}

/**
 * Messages per hour, as token buckets that all processes share. A message over the limit waits; it is never dropped. A
 * process acquires a few at a time, and loses them when it dies: the limit may be used a little less, never exceeded.
 */
export class HourlyPermits {
  readonly #control: Connection;
  readonly #acquired = new Map<string, Acquired>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(control: Connection) {
    this.#control = control;
  }

  /**
   * Acquires up to `wanted` messages.
   * @returns how many were acquired and, if fewer than `wanted`, the milliseconds until another attempt is worthwhile
   */
  async acquire(limit: HourlyLimit, wanted: number): Promise<{ acquired: number; waitMs: number }> {
    if (limit.perHour === 0) return { acquired: wanted, waitMs: 0 };
    const known = this.#of(limit.key);
    if (known.messages < wanted && performance.now() >= known.emptyUntil) await this.#more(limit, known);
    const acquired = Math.min(wanted, known.messages);
    known.messages -= acquired;
    return { acquired, waitMs: acquired < wanted ? Math.max(1, known.emptyUntil - performance.now()) : 0 };
  }

  /** Releases messages that were acquired and not sent. */
  release({ key, perHour }: HourlyLimit, messages: number): void {
    if (perHour > 0 && messages > 0) this.#of(key).messages += messages;
  }

  /** Forgets a limit that this process no longer uses. */
  forget(key: string): void {
    this.#acquired.delete(key);
  }

  #of(key: string): Acquired {
    return keptIn(this.#acquired, key, () => ({ messages: 0, emptyUntil: 0 }));
  }

  /** Acquires more of a limit. Concurrent callers share one statement. */
  #more(limit: HourlyLimit, known: Acquired): Promise<void> {
    return keptIn(this.#running, limit.key, () =>
      acquireMessages(this.#control, limit)
        .then(({ acquired, waitMs }) => {
          known.messages += acquired;
          known.emptyUntil = performance.now() + waitMs;
        })
        .finally(() => this.#running.delete(limit.key)),
    );
  }
}

/** Milliseconds without a request after which connections are no longer wanted. */
const idleMs = 2_000;

/**
 * The connections of one limit that this process holds by lease: its share while other processes want some too,
 * otherwise all. A permit is released to other processes only when it is not in use, so the limit holds over all.
 */
export class ConnectionPermits {
  readonly #control: Connection;
  readonly #owner: string;
  readonly #key: string;
  readonly #isWanted: () => boolean;
  #held = 0;
  #share = 0;
  #inUse = 0;
  /** End of the lease (performance.now()). */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  #renewal: Promise<void> = Promise.resolve();
  #renewals = 0;
  /** Callers that found no free connection, the longest waiting first. */
  readonly #waiting = new Set<() => void>();

  /**
   * @param key the limit, for example `route:7` or `provider:3`
   * @param isWanted whether more connections can be used; by default, whether any was requested in the last 2 s
   */
  constructor(control: Connection, owner: string, key: string, isWanted?: () => boolean) {
    this.#control = control;
    this.#owner = owner;
    this.#key = key;
    this.#isWanted = isWanted ?? (() => performance.now() - this.#requestedAt < idleMs);
  }

  /** Connections that may be in use now. Fewer than are held while this process's share shrinks. */
  get usable(): number {
    return performance.now() < this.#heldUntil ? Math.min(this.#held, this.#share) : 0;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Whether any permit may be held or wanted, so that `renew` has something to do. */
  get isAlive(): boolean {
    return this.#isHeld || this.#isWanted();
  }

  /** Whether this process holds exactly its share, which changes only when another process comes or goes. */
  get isSettled(): boolean {
    return this.#held === this.#share;
  }

  /** Whether connections are held that are neither in use nor usable. */
  get hasExcess(): boolean {
    return this.#held > Math.max(this.#share, this.#inUse);
  }

  get isRenewing(): boolean {
    return this.#renewals > 0;
  }

  /**
   * Returns how many connections may be acquired now. If none, `wake` is called once when one may be free.
   * @param max the limit; 0 means no limit
   */
  free(max: number, wake: () => void): number {
    if (max === 0) return Number.POSITIVE_INFINITY;
    this.#requestedAt = performance.now();
    const free = this.usable - this.#inUse;
    if (free <= 0) this.#waiting.add(wake);
    return Math.max(0, free);
  }

  /** Takes a connection into use. Only if one is free. */
  acquire(): void {
    this.#inUse += 1;
  }

  release(): void {
    if (this.#waiting.size === 0) {
      this.#inUse -= 1;
      return;
    }
    // Not immediately: the caller that had the connection continues before all callers that are woken, and would
    // keep it from them.
    setImmediate(() => {
      this.#inUse -= 1;
      this.#wakeAll();
    });
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Renews the lease, and moves what is held towards this process's share of `max`; releases everything that is neither
   * in use nor wanted. One call runs after the other: a later call must not use what an earlier one releases.
   * @param max the limit; 0 means no limit, for which nothing is held
   */
  renew(max: number): Promise<void> {
    this.#renewals += 1;
    this.#renewal = this.#renewal
      .catch(() => undefined)
      .then(() => this.#renewNow(max))
      .finally(() => {
        this.#renewals -= 1;
      });
    return this.#renewal;
  }

  async #renewNow(max: number): Promise<void> {
    const isWanted = this.#isWanted();
    if (max === 0 || (!isWanted && this.#inUse === 0)) return this.#releaseAll();
    this.#isHeld = true;
    const [control, key, owner] = [this.#control, this.#key, this.#owner];
    this.#share = isWanted ? shareOf(max, await demandConnections(control, key, owner)) : 0;
    if (!isWanted) await withdrawDemand(control, [owner], key);
    const wanted = Math.max(this.#share, this.#inUse);
    // No permit is used that the statement is to release, whether or not its reply arrives.
    this.#held = Math.min(this.#held, wanted);
    const before = performance.now();
    this.#held = await acquireConnections(control, key, owner, { max, wanted });
    this.#heldUntil = before + permitLeaseMs;
    if (this.usable > this.#inUse) this.#wakeAll();
  }

  async #releaseAll(): Promise<void> {
    if (!this.#isHeld) return;
    this.#held = 0;
    this.#share = 0;
    await releaseConnections(this.#control, [this.#owner], this.#key);
    this.#isHeld = false;
  }
}
