/** Hits of one token that are stored within a window; nobody reads a message more often. */
const perWindow = 60;
const windowMs = 60_000;
/** Tokens that are remembered; a flood over more tokens than this begins a new window. */
const maxTokens = 200_000;

/**
 * Keeps a flood of requests with one valid token from filling the log of hits. The reader is still answered; what is
 * above the limit is not stored, so events count at least, and distinct readers count right.
 */
export class FloodLimit {
  readonly #seen = new Map<string, number>();
  #windowEnd = 0;

  /** Counts one more hit of the token; whether it is to be stored. */
  admits(token: string, nowMs: number): boolean {
    if (nowMs >= this.#windowEnd || this.#seen.size >= maxTokens) {
      this.#seen.clear();
      this.#windowEnd = nowMs + windowMs;
    }
    const count = (this.#seen.get(token) ?? 0) + 1;
    this.#seen.set(token, count);
    return count <= perWindow;
  }
}
