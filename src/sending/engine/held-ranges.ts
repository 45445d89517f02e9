import type { RangeRun } from './range-run.ts';

/** Ranges of a job that one process works on at a time: enough that one which only waits does not hold up the rest. */
const maxAtWork = 6;
/** Ranges kept besides in which all who are left wait for the limit of a provider; more of them are released. */
const maxLimited = 6;

/** The ranges of one job that this process holds. */
export class HeldRanges {
  readonly #runs = new Set<RangeRun>();

  get size(): number {
    return this.#runs.size;
  }

  [Symbol.iterator](): IterableIterator<RangeRun> {
    return this.#runs.values();
  }

  add(run: RangeRun): void {
    this.#runs.add(run);
  }

  delete(run: RangeRun): void {
    this.#runs.delete(run);
  }

  /** Those in which nobody is left who could be attempted but for the limit of a provider. */
  get limited(): RangeRun[] {
    return [...this.#runs].filter((run) => run.status === 'open' && run.isLimited);
  }

  /** Whether another range may be leased. */
  get hasRoom(): boolean {
    return this.#runs.size - this.limited.length < maxAtWork;
  }

  /** Whether there are more limited ranges than it takes to keep their providers busy. */
  get hasTooManyLimited(): boolean {
    return this.limited.length > maxLimited;
  }

  /** Whether no further limited range is worth a lease, unless it waits for a provider that has room. */
  get isFullOfLimited(): boolean {
    return this.limited.length >= maxLimited;
  }

  /** The providers that those wait for. */
  get limitedBy(): number[] {
    return [...new Set(this.limited.flatMap((run) => run.limitedBy))];
  }

  /** Milliseconds from `now` (since 1970) until somebody can be taken; Infinity when nobody waits. */
  waitMs(now: number): number {
    let wait = Number.POSITIVE_INFINITY;
    for (const run of this.#runs) {
      if (run.status === 'open') wait = Math.min(wait, run.waitMs(now));
      if (wait <= 0) break;
    }
    return wait;
  }

  /** Takes up to `count` recipients who can be attempted at `now`. */
  take(count: number, now: number): { run: RangeRun; id: number }[] {
    const taken: { run: RangeRun; id: number }[] = [];
    const takeFrom = (run: RangeRun, next: () => number | undefined) => {
      while (taken.length < count) {
        const id = next();
        if (id === undefined) return;
        taken.push({ run, id });
      }
    };
    // Who waits for the limit of a provider must not keep those from being read who wait for nothing.
    for (const run of this.#runs) takeFrom(run, () => run.takeUntried());
    for (const run of this.#runs) takeFrom(run, () => run.takeDue(now));
    return taken;
  }
}
