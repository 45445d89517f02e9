import { within } from './within.ts';

/** The last known value of a slow or unavailable source. Readers wait for a bounded time; one read runs at a time. */
export class Snapshot<T> {
  readonly #read: () => Promise<T>;
  readonly #maxAgeMs: number;
  readonly #patienceMs: number;
  #last: { readonly value: T; readonly at: number } | undefined;
  #reading: Promise<void> | undefined;

  /** @param of `maxAgeMs`: it is read again after this. `patienceMs`: a reader waits for at most this. */
  constructor(read: () => Promise<T>, of: { readonly maxAgeMs: number; readonly patienceMs: number }) {
    this.#read = read;
    this.#maxAgeMs = of.maxAgeMs;
    this.#patienceMs = of.patienceMs;
  }

  /** The value, as new as it can be had in time; undefined while it was never read. */
  async get(): Promise<T | undefined> {
    if (this.ageMs > this.#maxAgeMs)
      await within('The source', this.#patienceMs, this.#refresh()).catch(() => undefined);
    return this.#last?.value;
  }

  /** How old the value is, in milliseconds; Infinity while it was never read. */
  get ageMs(): number {
    return this.#last ? performance.now() - this.#last.at : Number.POSITIVE_INFINITY;
  }

  #refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .then((value) => {
        this.#last = { value, at: performance.now() };
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}
