const shortestMs = 10_000;
const longestMs = 10 * 60_000;
/** What has failed for so long, by whatever need not last, fails for good. */
export const giveUpAfterHours = 22;
const giveUpAfterMs = giveUpAfterHours * 3_600_000;

/**
 * When to try again what has failed since an instant: after 10 s, then after as long as it has failed already, so that
 * pauses double, to 10 minutes. The last try is at the end of the 22 hours.
 * @returns undefined when they have passed.
 */
export function retryAt(failingSince: Date, now: Date): Date | undefined {
  const failingFor = now.getTime() - failingSince.getTime();
  if (failingFor >= giveUpAfterMs) return undefined;
  const pause = Math.min(longestMs, Math.max(shortestMs, failingFor));
  return new Date(Math.min(now.getTime() + pause, failingSince.getTime() + giveUpAfterMs));
}
