/** Called once with the outcome of an item: no error if its flush succeeded. */
export type Done = (error?: unknown) => void;

interface Waiting<T> {
  readonly item: T;
  readonly done: Done;
}

/**
 * Shares one flush among many callers: items added during a flush wait and go with the next one. The cost of a commit
 * is thus paid once for all of them, and each caller is notified only when its own flush has ended.
 *
 * A flush begins at the end of the event loop's turn, not with the first item. Fifty clients that got their responses
 * together also send their next requests together; otherwise the first would leave alone, with 49 waiting for its
 * commit.
 */
export class Batcher<T> {
  readonly #flush: (items: readonly T[]) => Promise<void>;
  readonly #maxBatch: number;
  #waiting: Waiting<T>[] = [];
  #run: Promise<void> | undefined;

  /** @param maxBatch items that one flush takes at most. */
  constructor(flush: (items: readonly T[]) => Promise<void>, maxBatch: number) {
    this.#flush = flush;
    this.#maxBatch = maxBatch;
  }

  /** Resolves when the flush that carried `item` has succeeded; rejects with that flush's error. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.push(item, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Like `add` for callers that count every microsecond: no promise for each item. */
  push(item: T, done: Done): void {
    this.#waiting.push({ item, done });
    this.#run ??= this.#flushAll();
  }

  /** Items that no flush has taken yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when nothing waits and no flush runs; whether the flushes succeeded, their callers know. */
  async idle(): Promise<void> {
    await this.#run;
  }

  async #flushAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfTurn();
      const batch = this.#waiting.splice(0, this.#maxBatch);
      const error = await this.#failureOf(batch.map((one) => one.item));
      // All are notified before more is read: clients process their responses while the next items gather. Each call
      // runs in a microtask of its own, so that one that throws does not keep the others from being notified.
      for (const one of batch) queueMicrotask(() => one.done(error));
    }
    this.#run = undefined;
  }

  /** Returns why a flush failed, even if it threw before it returned a promise; the next flushes continue. */
  async #failureOf(items: readonly T[]): Promise<unknown> {
    try {
      await this.#flush(items);
      return undefined;
    } catch (reason) {
      return reason ?? new Error('A flush failed without a reason');
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
