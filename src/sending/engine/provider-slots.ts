import type { Connection } from '../../platform/db/database.ts';
import { SharedSlots } from './shared-slots.ts';

/** Not asked more often than this: as long as a message that found no slot is set aside. */
const standardPauseMs = 200;
/** Without a message for so long, what is held goes back. */
const idleMs = 2_000;

/**
 * The connections to one provider that this process may use: its slots of the provider's limit. It takes them when
 * messages ask for them, and gives them back when none is needed.
 */
export class ProviderSlots {
  readonly #slots: SharedSlots;
  readonly #pauseMs: number;
  #underWay = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #wantedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  /** Who found no slot, who waits longest first. */
  readonly #waiting = new Set<() => void>();

  constructor(control: Connection, owner: string, idProvider: number, pauseMs = standardPauseMs) {
    this.#slots = new SharedSlots(control, owner, `provider:${idProvider}`, () => this.#underWay);
    this.#pauseMs = pauseMs;
  }

  /** How many messages may begin now; when none may, `wake` is called once as soon as one may. `max` 0: no limit. */
  room(max: number, wake: () => void): number {
    if (max === 0) return Number.POSITIVE_INFINITY;
    this.#wantedAt = performance.now();
    const room = this.#slots.usable - this.#underWay;
    if (room <= 0) this.#waiting.add(wake);
    return Math.max(0, room);
  }

  /** Counts a message running. Only when there is room for it. */
  begin(): void {
    this.#underWay += 1;
  }

  leave(): void {
    if (this.#waiting.size === 0) {
      this.#underWay -= 1;
      return;
    }
    // Not at once: anyone who had the slot continues by itself, before all who are woken, and would keep it from
    // them.
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
    return this.#slots.isAlive || this.#isWanted;
  }

  get #isWanted(): boolean {
    return performance.now() - this.#wantedAt < idleMs;
  }

  /** Brings the slots to our share of `max`, every 200 ms at most; gives them back when nothing needs them. */
  renew(max: number): Promise<void> {
    if (!this.#asking && performance.now() - this.#askedAt >= this.#pauseMs) {
      this.#askedAt = performance.now();
      this.#asking = this.#ask(max).finally(() => {
        this.#asking = undefined;
      });
    }
    return this.#asking ?? Promise.resolve();
  }

  async #ask(max: number): Promise<void> {
    if (max === 0 || (!this.#isWanted && this.#underWay === 0)) return this.#slots.giveBack();
    await this.#slots.renew(max, this.#isWanted);
    if (this.#slots.usable > this.#underWay) this.#wakeAll();
  }
}
