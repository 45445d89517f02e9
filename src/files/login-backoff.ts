import { LRUCache } from 'lru-cache';

/** Failed tries that cost nothing; each further one doubles the wait. */
const freeTries = 3;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Failures are forgotten after this long without another one. */
const forgetMs = 15 * 60_000;

/**
 * Slows guessing of passwords down: after a few failures a key (an address, a login) must wait before its next
 * answer, longer each time. Bounded memory: the least recently failing keys are forgotten first.
 */
export class LoginBackoff {
  readonly #failures = new LRUCache<string, { count: number; at: number }>({ max: 10_000 });

  /** Milliseconds that the answer to a try of this key must wait, at `now` (ms). */
  waitMs(key: string, now: number): number {
    const known = this.#failures.get(key);
    if (!known || now - known.at > forgetMs || known.count < freeTries) return 0;
    return Math.min(firstWaitMs * 2 ** (known.count - freeTries), longestWaitMs);
  }

  failed(key: string, now: number): void {
    const known = this.#failures.get(key);
    const count = known && now - known.at <= forgetMs ? known.count + 1 : 1;
    this.#failures.set(key, { count, at: now });
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }
}
