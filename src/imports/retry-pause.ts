const shortestMs = 10_000;
const longestMs = 10 * 60_000;
/** Hours of failing after which a run fails permanently. */
export const giveUpAfterHours = 22;
/** The same for an import that was interrupted while its rows were written: sendings and exports wait for its end. */
const giveUpInterruptedMinutes = 30;

/** How long a run is retried, in milliseconds and in words. */
export const patienceFor = (isInterrupted: boolean) =>
  isInterrupted
    ? { ms: giveUpInterruptedMinutes * 60_000, words: `${giveUpInterruptedMinutes} minutes` }
    : { ms: giveUpAfterHours * 3_600_000, words: `${giveUpAfterHours} hours` };

/**
 * When to retry what has failed since an instant: after 10 s, then after as long as it has failed already, so that
 * pauses double, to 10 minutes. The last try is at the end of the time.
 * @param giveUpAfterMs how long it is attempted; 22 hours if omitted
 * @returns undefined when that has passed.
 */
export function retryAt(
  failingSince: Date,
  now: Date,
  giveUpAfterMs = giveUpAfterHours * 3_600_000,
): Date | undefined {
  const failingFor = now.getTime() - failingSince.getTime();
  if (failingFor >= giveUpAfterMs) return undefined;
  const pause = Math.min(longestMs, Math.max(shortestMs, failingFor));
  return new Date(Math.min(now.getTime() + pause, failingSince.getTime() + giveUpAfterMs));
}
