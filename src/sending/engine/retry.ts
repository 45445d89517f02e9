/** When a message that was put off (4xx) is tried again. */
export interface RetryPolicy {
  /** Milliseconds after the first, second … deferral; the last one repeats. */
  readonly delays: readonly number[];
  /** Milliseconds after the first deferral at which trying ends. */
  readonly giveUpAfter: number;
}

const minute = 60_000;

/** Greylisting lets a second attempt in after some minutes; after that patience costs nothing. */
export const standardRetry: RetryPolicy = {
  delays: [5 * minute, 15 * minute, 30 * minute, 60 * minute, 120 * minute],
  giveUpAfter: 24 * 60 * minute,
};

/** Milliseconds to wait after the `attempts`th deferral (from 1). */
export function retryDelay(policy: RetryPolicy, attempts: number): number {
  const at = Math.min(attempts, policy.delays.length) - 1;
  return policy.delays[at] ?? 0;
}

/** Whether a deferral at `at` is the last one of a message first put off at `firstAt` (both in ms since 1970). */
export function isOver(policy: RetryPolicy, firstAt: number, at: number): boolean {
  return at - firstAt >= policy.giveUpAfter;
}
