/**
 * Shares one flush among many callers: while a flush runs, what is added waits and goes with the next. So a commit's
 * cost is paid once for all that gathered meanwhile, and an addition resolves only when its own flush has succeeded.
 */
export class Batcher<T> {
  readonly #flush: (items: readonly T[]) => Promise<void>;
  readonly #maxBatch: number;
  #waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #running = false;
  #lastRun: Promise<void> = Promise.resolve();

  /** @param maxBatch items that one flush takes at the most. */
  constructor(flush: (items: readonly T[]) => Promise<void>, maxBatch: number) {
    this.#flush = flush;
    this.#maxBatch = maxBatch;
  }

  /** Resolves when the flush that carried `item` has succeeded; rejects with that flush's error. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) this.#lastRun = this.#run();
    });
  }

  /** Resolves when nothing waits and no flush runs; whether the flushes succeeded, their callers know. */
  idle(): Promise<void> {
    return this.#lastRun;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      try {
        await this.#flush(batch.map((one) => one.item));
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    this.#running = false;
  }
}
