import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { tooMany } from './refusal.ts';

/** Counts an attempt. @throws 429 above the limit, with the time to wait */
export async function consume(limiter: RateLimiterMemory, key: string | number): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (over) {
    // The limiter rejects with its state, and with nothing else: it is only memory.
    const seconds = Math.max(1, Math.ceil((over as RateLimiterRes).msBeforeNext / 1000));
    throw tooMany(`Too many attempts; try again in ${seconds} s`, seconds);
  }
}
