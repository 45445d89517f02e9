import type { Connection } from '../../platform/db/database.ts';
import { freeSlots, keepSlots, slotHeldMs } from './connection-slots.ts';
import { demandSlots, endDemand, shareOf } from './slot-demand.ts';

/**
 * The connection slots of one limit that this process holds: its share while other processes want some too, all of
 * them otherwise. A slot is released only when fewer are in use than are held, so the limit holds over all processes.
 */
export class SharedSlots {
  readonly #control: Connection;
  readonly #owner: string;
  readonly #key: string;
  readonly #inUse: () => number;
  #held = 0;
  #share = 0;
  /** End of the slots’ lease, by performance.now(). */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isAlive = false;

  /**
   * @param key what is limited: `route:7`, `provider:3`
   * @param inUse returns the number of slots in use.
   */
  constructor(control: Connection, owner: string, key: string, inUse: () => number) {
    this.#control = control;
    this.#owner = owner;
    this.#key = key;
    this.#inUse = inUse;
  }

  /** Slots that may be in use now. Fewer than are held while our share shrinks, so that their number falls to it. */
  get usable(): number {
    return performance.now() < this.#heldUntil ? Math.min(this.#held, this.#share) : 0;
  }

  /** Whether any slot may be held or demanded. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether we hold exactly our share: nothing changes until another process comes or goes. */
  get isSettled(): boolean {
    return this.#held === this.#share;
  }

  /** Whether slots are held that we neither use nor may use. */
  get hasExcess(): boolean {
    return this.#held > Math.max(this.#share, this.#inUse());
  }

  /**
   * Renews the slots, and moves their number towards our share of `max`. One call at a time.
   * @param wants whether more may be put to use; if not, only those in use are kept.
   */
  async renew(max: number, wants: boolean): Promise<void> {
    this.#isAlive = true;
    this.#share = wants ? shareOf(max, await demandSlots(this.#control, this.#key, this.#owner)) : 0;
    if (!wants) await endDemand(this.#control, [this.#owner], this.#key);
    const wanted = Math.max(this.#share, this.#inUse());
    // No slot is put to use that the statement is to release, whether or not its answer arrives.
    this.#held = Math.min(this.#held, wanted);
    const before = performance.now();
    this.#held = await keepSlots(this.#control, this.#key, this.#owner, { max, wanted });
    this.#heldUntil = before + slotHeldMs;
  }

  /** Gives all slots back. None may be in use, unless the limit no longer exists. */
  async giveBack(): Promise<void> {
    this.#held = 0;
    this.#share = 0;
    await freeSlots(this.#control, [this.#owner], this.#key);
    await endDemand(this.#control, [this.#owner], this.#key);
    this.#isAlive = false;
  }
}
