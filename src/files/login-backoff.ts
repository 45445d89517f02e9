import { LRUCache } from 'lru-cache';

/** Attempts of one address at one login that cost nothing; each further one doubles the wait. */
const freeOfLogin = 3;
/** Attempts of one address at all logins that cost nothing: trying one login after the other is slowed as well. */
const freeOfAddress = 20;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Attempts are forgotten after this long without another one. */
const forgetMs = 15 * 60_000;

/**
 * Slows down the guessing of passwords: after a few attempts an address must wait before its next response, longer each
 * time. Other addresses never wait for it. Attempts count when they begin, so concurrent ones gain nothing. Memory is
 * bounded: the least recent attempts are forgotten first.
 */
export class LoginBackoff {
  readonly #attempts = new LRUCache<string, { count: number; at: number }>({ max: 10_000 });

  /** Counts an attempt at `now` (ms). Returns the milliseconds that its answer must wait. */
  begin(address: string, login: string, now: number): number {
    return Math.max(
      this.#count(`address ${address}`, freeOfAddress, now),
      this.#count(keyOf(address, login), freeOfLogin, now),
    );
  }

  /** Forgets an attempt that was let in, and those before it of the same address at the same login; others stay. */
  succeeded(address: string, login: string): void {
    this.#attempts.delete(keyOf(address, login));
    const ofAddress = this.#attempts.get(`address ${address}`);
    if (ofAddress) ofAddress.count -= 1;
  }

  #count(key: string, free: number, now: number): number {
    const known = this.#attempts.get(key);
    const before = known && now - known.at <= forgetMs ? known.count : 0;
    this.#attempts.set(key, { count: before + 1, at: now });
    return before < free ? 0 : Math.min(firstWaitMs * 2 ** (before - free), longestWaitMs);
  }
}

const keyOf = (address: string, login: string) => `login ${address} ${login}`;
