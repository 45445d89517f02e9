import { type Refusal, tooMany } from './http/refusal.ts';

/** How much heavy work may be running. */
export interface PlaceLimits {
  /** At once, of one owner. */
  readonly perOwner: number;
  /** At once, of all owners together. */
  readonly inAll: number;
  /** Waiting for a place, of one owner. */
  readonly waiting: number;
  /** Milliseconds that somebody waits at most. */
  readonly patienceMs: number;
}

interface Waiter {
  readonly owner: string;
  start(): void;
}

/**
 * Places for heavy work of several owners (sites): anyone who requests more than its share waits in its own line, so
 * that no owner holds up the others. Anyone who waits holds nothing: no connection, no lock. Within this process.
 * `Turns` are enough where there are no owners.
 */
export class Places {
  readonly #what: string;
  readonly #limits: PlaceLimits;
  /** Under way, by owner; nobody stays in it with none. */
  readonly #taken = new Map<string, number>();
  /** In the order of their coming. */
  readonly #waiters = new Set<Waiter>();
  #takenInAll = 0;

  /** @param what needs a place, for the message: `evaluations of targets`. */
  constructor(what: string, limits: PlaceLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /**
   * Runs `work` in a place of the owner's, as soon as there is one.
   * @param signal takes anyone who waits out of the line; `work` is not aborted by it.
   * @throws 429 when too many of the owner wait already, or none came free in time, and the signal's reason; then
   * `work` has not run.
   */
  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    await this.#take(owner, signal);
    try {
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  async #take(owner: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#hasRoom(owner)) return this.#enter(owner);
    const { waiting, patienceMs } = this.#limits;
    const before = [...this.#waiters].filter((one) => one.owner === owner).length;
    if (before >= waiting) throw this.#busy();
    await new Promise<void>((resolve, reject) => {
      const leaveLine = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        owner,
        start: () => {
          leaveLine();
          this.#enter(owner);
          resolve();
        },
      };
      const giveUp = () => {
        leaveLine();
        reject(signal?.aborted ? signal.reason : this.#busy());
      };
      const timer = setTimeout(giveUp, patienceMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #busy(): Refusal {
    return tooMany(`Too many ${this.#what} are under way for this site; try again in some seconds`, 5);
  }

  #hasRoom(owner: string): boolean {
    const { perOwner, inAll } = this.#limits;
    return this.#takenInAll < inAll && (this.#taken.get(owner) ?? 0) < perOwner;
  }

  #enter(owner: string): void {
    this.#takenInAll++;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
  }

  #leave(owner: string): void {
    this.#takenInAll--;
    const left = this.#taken.get(owner)! - 1;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom(waiter.owner)) continue;
      waiter.start();
      return;
    }
  }
}
