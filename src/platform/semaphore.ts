import { Refusal, tooMany } from './http/refusal.ts';

/** How much work of one kind may run and wait. */
export interface SemaphoreLimits {
  readonly permits: number;
  /** Permits of one owner; all of them if omitted. */
  readonly perOwner?: number;
  /** Acquisitions of one owner that may wait for a permit. */
  readonly waiting: number;
  /** Maximum wait for a permit in milliseconds; unlimited if omitted. */
  readonly patienceMs?: number;
}

interface Waiter {
  readonly owner: string;
  start(): void;
}

/**
 * Limits heavy work within this process: each piece of work runs under a permit. Permits are granted in the order of
 * requests, except that an owner (a site) at its share is passed over, so no owner delays the others. A waiting
 * request holds no connection and no lock.
 */
export class Semaphore {
  readonly #what: string;
  readonly #limits: SemaphoreLimits;
  /** Permits in use, by owner; without owners that use none. */
  readonly #used = new Map<string, number>();
  /** In the order of their requests. */
  readonly #waiters = new Set<Waiter>();
  #usedInTotal = 0;

  /** @param what is limited, for the error message: `uploads`. */
  constructor(what: string, limits: SemaphoreLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** Runs `work` under a permit. @throws as `acquire`; `work` has not run then. Otherwise, what `work` throws. */
  async run<T>(work: () => Promise<T>, owner?: string, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(owner, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Acquires a permit.
   * @param signal ends the wait; a permit that is already acquired stays with its holder.
   * @returns releases the permit; further calls have no effect.
   * @throws 429 (503 where there are no owners) when too many requests wait or none was granted in time; the signal's
   *   reason.
   */
  async acquire(owner = '', signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#hasPermit(owner)) this.#grant(owner);
    else await this.#wait(owner, signal);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(owner);
    };
  }

  async #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, patienceMs } = this.#limits;
    const before = [...this.#waiters].filter((one) => one.owner === owner).length;
    if (before >= waiting) throw this.#busy();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        owner,
        start: () => {
          leave();
          this.#grant(owner);
          resolve();
        },
      };
      const giveUp = () => {
        leave();
        reject(signal?.aborted ? signal.reason : this.#busy());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #busy(): Refusal {
    if (this.#limits.perOwner !== undefined)
      return tooMany(`Too many ${this.#what} are under way for this site; try again in some seconds`, 5);
    const message = `Too many ${this.#what} are under way; try again in a moment`;
    return new Refusal(503, 'busy', message, { retryAfterS: 1 });
  }

  #hasPermit(owner: string): boolean {
    const { permits, perOwner = permits } = this.#limits;
    return this.#usedInTotal < permits && (this.#used.get(owner) ?? 0) < perOwner;
  }

  #grant(owner: string): void {
    this.#usedInTotal++;
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + 1);
  }

  #release(owner: string): void {
    this.#usedInTotal--;
    const left = this.#used.get(owner)! - 1;
    if (left > 0) this.#used.set(owner, left);
    else this.#used.delete(owner);
    for (const waiter of this.#waiters) {
      if (!this.#hasPermit(waiter.owner)) continue;
      waiter.start();
      return;
    }
  }
}
