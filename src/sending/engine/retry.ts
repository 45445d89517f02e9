/** When a message that was deferred (4xx) is retried. */
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

/**
 * When a message is retried after its `attempts`th deferral (from 1), in ms since 1970. The last try comes when the
 * time for trying is over, not a whole delay later.
 */
export function retryAt(
  policy: RetryPolicy,
  { attempts, firstAt, lastAt }: { attempts: number; firstAt: number; lastAt: number },
): number {
  const delay = policy.delays[Math.min(attempts, policy.delays.length) - 1] ?? 0;
  return Math.min(lastAt + delay, Math.max(lastAt, firstAt + policy.giveUpAfter));
}

/** Whether a deferral at `at` is the last one of a message first deferred at `firstAt` (both in ms since 1970). */
export function isOver(policy: RetryPolicy, firstAt: number, at: number): boolean {
  return at - firstAt >= policy.giveUpAfter;
}
