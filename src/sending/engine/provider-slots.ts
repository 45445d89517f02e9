import type { Connection } from '../../platform/db/database.ts';
import { freeSlots, keepSlots, slotHeldMs } from './connection-slots.ts';
import { demandSlots, endDemand, shareOf } from './slot-demand.ts';

/** Not asked more often than this: as long as a message that found no slot is set aside. */
const standardPauseMs = 200;
/** Without a message for so long, what is held goes back. */
const idleMs = 2_000;

/**
 * The connections to one provider that this process may use: so many slots of the provider's limit as it holds in the
 * database. It takes them when messages ask for them, shares them with other processes that ask, and gives them back
 * when none is needed. A slot is given back only when fewer messages are under way than slots are held.
 */
export class ProviderSlots {
  readonly #control: Connection;
  readonly #owner: string;
  readonly #key: string;
  readonly #pauseMs: number;
  #held = 0;
  /** Until when the slots are ours without a renewal, by performance.now(). */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #underWay = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #wantedAt = Number.NEGATIVE_INFINITY;
  #asking = false;
  /** Who found no slot, who waits longest first. */
  readonly #waiting = new Set<() => void>();

  constructor(control: Connection, owner: string, idProvider: number, pauseMs = standardPauseMs) {
    this.#control = control;
    this.#owner = owner;
    this.#pauseMs = pauseMs;
    this.#key = `provider:${idProvider}`;
  }

  /** How many messages may begin now; when none may, `wake` is called once as soon as one may. `max` 0: no limit. */
  room(max: number, wake: () => void): number {
    if (max === 0) return Number.POSITIVE_INFINITY;
    const now = performance.now();
    this.#wantedAt = now;
    const room = now < this.#heldUntil ? this.#held - this.#underWay : 0;
    if (room <= 0) this.#waiting.add(wake);
    return Math.max(0, room);
  }

  /** Counts a message under way. Only when there is room for it. */
  begin(): void {
    this.#underWay += 1;
  }

  leave(): void {
    if (this.#waiting.size === 0) {
      this.#underWay -= 1;
      return;
    }
    // Not at once: whoever had the slot goes on by itself, before all who are woken, and would keep it from them.
    setImmediate(() => {
      this.#underWay -= 1;
      this.#wakeAll();
    });
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Whether anything is held or wanted, so that `renew` has something to do; never without a limit. */
  get isAlive(): boolean {
    return this.#held > 0 || this.#isWanted;
  }

  get #isWanted(): boolean {
    return performance.now() - this.#wantedAt < idleMs;
  }

  /** Brings the slots to our share of `max`, at the most every 200 ms; gives them back when nothing needs them. */
  async renew(max: number): Promise<void> {
    if (this.#asking || performance.now() - this.#askedAt < this.#pauseMs) return;
    this.#asking = true;
    this.#askedAt = performance.now();
    try {
      if (max > 0 && (this.#isWanted || this.#underWay > 0)) await this.#share(max);
      else await this.#giveBack();
    } finally {
      this.#asking = false;
    }
  }

  async #share(max: number): Promise<void> {
    const share = shareOf(max, await demandSlots(this.#control, this.#key, this.#owner));
    const wanted = Math.max(share, this.#underWay);
    // Nothing is begun on what the statement is to give back, whether or not its answer comes.
    this.#held = Math.min(this.#held, wanted);
    const before = performance.now();
    this.#held = await keepSlots(this.#control, this.#key, this.#owner, { max, wanted });
    this.#heldUntil = before + slotHeldMs;
    if (this.#held > this.#underWay) this.#wakeAll();
  }

  async #giveBack(): Promise<void> {
    this.#held = 0;
    await freeSlots(this.#control, this.#owner, this.#key);
    await endDemand(this.#control, this.#owner, this.#key);
  }
}
