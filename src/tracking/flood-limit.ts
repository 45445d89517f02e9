/** Hits of one token that are stored within a window; nobody reads a message more often. */
const perWindow = 60;
const windowMs = 60_000;
/** Tokens that are remembered; a flood over more tokens than this begins a new window. */
const maxTokens = 200_000;

/** A token that was over the limit in so many windows of a day is not a person's: */
const patientWindows = 10;
/** from then on it has so many stored in a window. What one reader did is read again whenever they do more. */
const perWindowThen = 1;
const dayMs = 86_400_000;
/** Tokens of floods that are remembered. */
const maxFlooding = 10_000;

/**
 * Keeps a flood of requests with one valid token from filling the log of hits. The reader is still answered; what is
 * above the limit is not stored, so events count at least, and distinct readers count right.
 */
export class FloodLimit {
  readonly #seen = new Map<string, number>();
  #windowEnd = 0;
  /** In how many windows of the day a token was over the limit. */
  readonly #flooding = new Map<string, number>();
  #dayEnd = 0;

  /** Counts one more hit of the token; whether it is to be stored. */
  admits(token: string, nowMs: number): boolean {
    if (!isWithin(nowMs, this.#windowEnd, windowMs) || this.#seen.size >= maxTokens) this.#beginWindow(nowMs);
    const count = (this.#seen.get(token) ?? 0) + 1;
    this.#seen.set(token, count);
    if (count === perWindow + 1) this.#floods(token);
    return count <= perWindow;
  }

  #floods(token: string): void {
    if (this.#flooding.size < maxFlooding || this.#flooding.has(token)) {
      this.#flooding.set(token, (this.#flooding.get(token) ?? 0) + 1);
    }
  }

  #beginWindow(nowMs: number): void {
    this.#seen.clear();
    this.#windowEnd = nowMs + windowMs;
    if (!isWithin(nowMs, this.#dayEnd, dayMs)) {
      this.#flooding.clear();
      this.#dayEnd = nowMs + dayMs;
    }
    // Counted as if they had come already, so that a hit is looked up once as any other.
    for (const [token, windows] of this.#flooding) {
      if (windows >= patientWindows) this.#seen.set(token, perWindow - perWindowThen);
    }
  }
}

/** Before it is where the clock was set back: or nothing more would be stored until it comes to that time again. */
const isWithin = (nowMs: number, endMs: number, ms: number): boolean => nowMs < endMs && nowMs >= endMs - ms;
