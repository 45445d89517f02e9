import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { type Network, networkOf } from '../network.ts';
import { type NoteRefusal, noteNothing } from '../refusal-log.ts';
import type { FindCaller, Found } from './admission.ts';
import { clientAddressBehind } from './client-address.ts';
import { tooMany } from './refusal.ts';

export interface GuardLimits {
  /** Requests that one token may make in a minute, in this process. */
  readonly requestsPerMinute: number;
  /** Wrong tokens that one address may try in a minute before it has to wait a minute. */
  readonly wrongTokensPerMinute: number;
  readonly trustedProxies: readonly Network[];
  /** Notes wrong tokens and exceeded limits. Default: no notes. */
  readonly note?: NoteRefusal;
}

/**
 * Puts two limits around the search for a caller: requests of one token, and wrong tokens from one address. A token
 * that was good in the last hour passes even from an address that has to wait, so that a stranger behind the same
 * proxy cannot shut out the people who work there. Checks of open streams are neither limited nor counted: a limit
 * that another client reached must not decide whether a token still counts.
 */
export function guardTokens(find: FindCaller, limits: GuardLimits): FindCaller {
  const requests = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: 60 });
  const wrong = new RateLimiterMemory({
    points: limits.wrongTokensPerMinute,
    duration: 60,
    blockDuration: 60,
  });
  const good = new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 });

  const { note = noteNothing } = limits;
  const addressOf = clientAddressBehind(limits.trustedProxies);
  const underWay = new Tries();

  return async (token, siteName, request, isCheck) => {
    if (isCheck) return find(token, siteName, request, isCheck);
    const key = createHash('sha256').update(token).digest('base64');
    const address = networkOf(addressOf(request.raw) ?? '');
    if (!good.has(key)) {
      const tries = await wrong.get(address);
      // Tokens that are being looked up count as wrong until they are found, or a burst would pass the limit.
      const tried = (tries?.consumedPoints ?? 0) + underWay.others(address, key);
      if (tried > limits.wrongTokensPerMinute) {
        note('too many wrong tokens', address);
        throw wait('Too many wrong tokens from this address', tries ?? { msBeforeNext: 1000 });
      }
    }
    underWay.begin(address, key);
    try {
      const found: Found = await find(token, siteName, request);
      if (!found) {
        good.delete(key);
        note('wrong token', address);
        // Exceeding the limit is reported at the next attempt: this one gets the same 401 as any other.
        await wrong.consume(address).catch(() => undefined);
        return undefined;
      }
      good.set(key, true);
      await countRequest(found.caller.idToken ?? 0, address);
      return found;
    } finally {
      underWay.end(address, key);
    }
  };

  async function countRequest(idToken: number, address: string): Promise<void> {
    try {
      await requests.consume(idToken);
    } catch (over) {
      note('too many requests of a token', address, { idToken });
      // The limiter rejects with its state, and with nothing else: it is only memory.
      throw wait('The token has made too many requests', over as RateLimiterRes);
    }
  }
}

/**
 * Limits the requests of one session as those of one token, and unknown sessions of one address to the same number. A
 * session's 256 random bits cannot be guessed, and open pages keep asking with one that has ended: it takes many of
 * them before an address has to wait. Checks of open streams are neither limited nor counted, as in `guardTokens`.
 */
export function guardSessions(find: FindCaller, limits: GuardLimits): FindCaller {
  const { requestsPerMinute, note = noteNothing } = limits;
  const requests = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 });
  const addressOf = clientAddressBehind(limits.trustedProxies);
  const good = new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 });
  return async (secret, siteName, request, isCheck) => {
    if (isCheck) return find(secret, siteName, request, isCheck);
    const key = createHash('sha256').update(secret).digest('base64');
    const address = networkOf(addressOf(request.raw) ?? '');
    // Beyond the limit, unknown sessions cost no query.
    const tried = good.has(key) ? null : await requests.get(address);
    if (tried && tried.consumedPoints >= requestsPerMinute) throw over(address, tried);
    const found = await find(secret, siteName, request);
    if (found) good.set(key, true);
    else good.delete(key);
    const idSession = found?.caller.idSession;
    try {
      await requests.consume(found ? `session ${idSession}` : address);
    } catch (state) {
      // The limiter rejects with its state, and with nothing else: it is only memory.
      throw over(address, state as RateLimiterRes, idSession);
    }
    return found;
  };

  function over(address: string, state: RateLimiterRes, idSession?: number | null) {
    note('too many requests of a session', address, { idSession });
    return wait('The session has made too many requests', state);
  }
}

/** The tokens of each address that are being looked up, each once however many requests bring it. */
class Tries {
  readonly #ofAddress = new Map<string, Map<string, number>>();

  /** How many besides this one are. */
  others(address: string, key: string): number {
    const keys = this.#ofAddress.get(address);
    return keys ? keys.size - (keys.has(key) ? 1 : 0) : 0;
  }

  begin(address: string, key: string): void {
    const keys = this.#ofAddress.get(address) ?? new Map<string, number>();
    this.#ofAddress.set(address, keys.set(key, (keys.get(key) ?? 0) + 1));
  }

  end(address: string, key: string): void {
    const keys = this.#ofAddress.get(address);
    const left = (keys?.get(key) ?? 0) - 1;
    if (left > 0) keys?.set(key, left);
    else keys?.delete(key);
    if (keys?.size === 0) this.#ofAddress.delete(address);
  }
}

function wait(what: string, state: Pick<RateLimiterRes, 'msBeforeNext'>) {
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return tooMany(`${what}; try again in ${seconds} s`, seconds);
}
