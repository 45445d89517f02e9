import type { Supply } from './candidate.ts';
import type { RoutePool } from './route-pool.ts';

/**
 * The relays that the messages of one job at work may leave through, which change while it runs: those of the lowest
 * position share the load, those of the next one stand by for when none of them can be reached.
 */
export class JobRelays {
  /** False: the job began in the built-in mailbox, and ends there. True: it never goes there. */
  readonly isByRelay: boolean;
  #pools: readonly RoutePool[] = [];

  constructor(isByRelay: boolean) {
    this.isByRelay = isByRelay;
  }

  /** From now on the job uses these; messages that others have running are finished there. */
  use(job: Supply, pools: readonly RoutePool[]): void {
    const gone = this.#pools.filter((pool) => !pools.includes(pool));
    this.#pools = pools;
    for (const pool of gone) pool.remove(job);
    for (const pool of pools) pool.add(job, () => this.#isTurnOf(pool));
  }

  #isTurnOf(pool: RoutePool): boolean {
    return this.#pools.every((other) => other.position >= pool.position || other.standing === 'away');
  }

  /** Whether this process has a connection to send on. */
  get canSend(): boolean {
    return this.#pools.some((pool) => pool.slots > 0 && this.#isTurnOf(pool));
  }

  /** Whether a relay took our connection when it was last asked. */
  get areReached(): boolean {
    return this.#pools.some((pool) => pool.standing === 'reached');
  }

  /** Why none of them can be used, without a secret; undefined when one can, or when that is not known yet. */
  get trouble(): string | undefined {
    if (this.#pools.length === 0) return 'there is no relay any more';
    if (this.#pools.some((pool) => pool.standing !== 'away')) return undefined;
    return this.#pools.map((pool) => pool.trouble).join('; ');
  }

  async renewSlots(): Promise<void> {
    for (const pool of this.#pools) await pool.renewSlots();
  }

  wake(): void {
    for (const pool of this.#pools) pool.wake();
  }
}
