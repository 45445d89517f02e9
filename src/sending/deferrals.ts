import type { RecentTotal } from '../platform/event-counts.ts';
import type { MailOutcome } from './sending-health.ts';

/** A provider that defers many of the messages that are offered to it. */
export interface DeferringProvider {
  readonly idProvider: number;
  /** Attempts to deliver a message in the last minutes. */
  readonly nbAttempts: number;
  /** Attempts that it deferred. */
  readonly nbDeferred: number;
  /** From when on it has deferred as much. */
  readonly since: Date;
}

/** The step in which attempts are counted is never whole, so the one before it counts as well. */
const recentS = 1_200;
/** Fewer deferrals than this say nothing: each retry of one message is an attempt. */
const fewestDeferred = 10;
/** The share of attempts from which a provider counts as deferring. Greylisting by a few domains is below it. */
const leastShare = 0.1;

const attempts: ReadonlySet<string> = new Set(
  (['accepted', 'deferred', 'refused', 'uncertain'] satisfies MailOutcome[]).map((name) => `mail.${name}`),
);

interface Counted {
  nbAttempts: number;
  nbDeferred: number;
}
const isDeferring = ({ nbAttempts, nbDeferred }: Counted) => nbDeferred >= leastShare * nbAttempts;

/** The providers that defer at least a tenth of the attempts of the last minutes, the largest share first. */
export function deferringProviders(totals: readonly RecentTotal[]): DeferringProvider[] {
  const ids = new Set(totals.map(({ idProvider }) => idProvider));
  const all = [...ids].flatMap((idProvider) => {
    const own = totals.filter((one) => one.idProvider === idProvider && attempts.has(one.event));
    const recent = countedOf(own.filter(({ ageS }) => ageS < recentS));
    if (recent.nbDeferred < fewestDeferred || !isDeferring(recent)) return [];
    return [{ idProvider, ...recent, since: sinceOf(own) }];
  });
  const shareOf = ({ nbAttempts, nbDeferred }: DeferringProvider) => nbDeferred / nbAttempts;
  return all.sort((a, b) => shareOf(b) - shareOf(a) || a.idProvider - b.idProvider);
}

function countedOf(totals: readonly RecentTotal[]): Counted {
  const sum = (of: readonly RecentTotal[]) => of.reduce((n, { total }) => n + total, 0);
  return {
    nbAttempts: sum(totals),
    nbDeferred: sum(totals.filter(({ event }) => event === 'mail.deferred')),
  };
}

/** The beginning of the steps up to now in each of which the provider deferred. */
function sinceOf(totals: readonly RecentTotal[]): Date {
  const steps = [...new Set(totals.map(({ at }) => at.getTime()))].sort((a, b) => b - a);
  const isStep = (step: number) => isDeferring(countedOf(totals.filter(({ at }) => at.getTime() === step)));
  // The step that has just begun may have too few attempts to show it.
  const whole = steps.length > 1 && !isStep(steps[0]!) ? steps.slice(1) : steps;
  const fine = whole.findIndex((step) => !isStep(step));
  return new Date(whole[fine === -1 ? whole.length - 1 : Math.max(0, fine - 1)]!);
}
