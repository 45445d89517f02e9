import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { tooMany } from './refusal.ts';
import type { Found, ServerParts } from './server.ts';

type FindCaller = ServerParts['findCaller'];

export interface GuardLimits {
  /** Requests that one token may make in a minute, in this process. */
  readonly requestsPerMinute: number;
  /** Wrong tokens that one address may try in a minute before it has to wait a minute. */
  readonly wrongTokensPerMinute: number;
}

/**
 * Puts two limits around the search for a caller: requests of one token, and wrong tokens from one address. A token
 * that was good in the last hour passes even from an address that has to wait, so that a stranger behind the same
 * proxy cannot shut out the people who work there.
 */
export function guardTokens(find: FindCaller, limits: GuardLimits): FindCaller {
  const requests = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: 60 });
  const wrong = new RateLimiterMemory({
    points: limits.wrongTokensPerMinute,
    duration: 60,
    blockDuration: 60,
  });
  const good = new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 });

  return async (token, siteName, request) => {
    const key = createHash('sha256').update(token).digest('base64');
    const address = networkOf(request.ip);
    if (!good.has(key)) {
      const tries = await wrong.get(address);
      if (tries !== null && tries.consumedPoints > limits.wrongTokensPerMinute)
        throw wait('Too many wrong tokens from this address', tries);
    }
    const found: Found = await find(token, siteName, request);
    if (!found) {
      good.delete(key);
      // Going over the limit is told at the next try: this one gets the same 401 as any other.
      await wrong.consume(address).catch(() => undefined);
      return undefined;
    }
    good.set(key, true);
    try {
      await requests.consume(found.caller.idToken);
    } catch (over) {
      // The limiter rejects with its state, and with nothing else: it is only memory.
      throw wait('The token has made too many requests', over as RateLimiterRes);
    }
    return found;
  };
}

function wait(what: string, state: RateLimiterRes) {
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return tooMany(`${what}; try again in ${seconds} s`, seconds);
}

/** What counts as one address: an IPv6 customer has a whole /64, so that is one. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (v4) return v4[1]!;
  const [head = '', tail] = ip.split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':');
}
