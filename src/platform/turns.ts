import { Refusal } from './http/refusal.ts';

/**
 * Lets a few continue at a time, in the order in which they came, and refuses those who would wait behind too many:
 * what takes much memory or time each stays bounded in total.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #maxWaiting: number;
  readonly #what: string;
  #free: number;

  /** @param what who takes turns, for the message: `uploads`. */
  constructor(what: string, atOnce: number, maxWaiting: number) {
    this.#what = what;
    this.#free = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves when it is the caller's turn, with what ends it; to call that more than once does no harm. @throws 503 */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else if (this.#waiting.length < this.#maxWaiting) await new Promise<void>((go) => this.#waiting.push(go));
    else throw this.#busy();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  /** Runs `work` when it is its turn. @throws 503, and what `work` throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.take();
    try {
      return await work();
    } finally {
      end();
    }
  }

  #busy(): Refusal {
    const message = `Too many ${this.#what} are under way; try again in a moment`;
    return new Refusal(503, 'busy', message, { retryAfterS: 1 });
  }
}
