/** Maximum number of stored hits of one token in a window; a person opens a message less often. */
const perWindow = 60;
const windowMs = 60_000;
/** Maximum number of remembered tokens; a flood over more tokens starts a new window. */
const maxTokens = 200_000;

/** A token over the limit in this many windows of a day does not belong to a person. */
const patientWindows = 10;
/** Stored hits in a window of such a token: few, because each makes the reader's activity be read again. */
const perWindowThen = 1;
const dayMs = 86_400_000;
/** Maximum number of remembered flooding tokens. */
const maxFlooding = 10_000;

/**
 * Keeps a flood of requests with one valid token from filling the log of hits. The reader is still answered, but hits
 * above the limit are not stored: counts of events are lower bounds, and counts of readers are right.
 */
export class FloodLimit {
  readonly #seen = new Map<string, number>();
  #windowEnd = 0;
  /** Number of windows of the day in which each token was over the limit. */
  readonly #flooding = new Map<string, number>();
  #dayEnd = 0;

  /** Counts a hit of the token and returns whether to store it. */
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
    // Counted as if they had already come, so that a hit needs a single look-up.
    for (const [token, windows] of this.#flooding) {
      if (windows >= patientWindows) this.#seen.set(token, perWindow - perWindowThen);
    }
  }
}

/** False for a time before the window too: after the clock is set back, nothing would be stored until the old time. */
const isWithin = (nowMs: number, endMs: number, ms: number): boolean => nowMs < endMs && nowMs >= endMs - ms;
