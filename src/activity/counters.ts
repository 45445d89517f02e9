import { figures, moreFigures } from './figures.ts';

const { nbAddressToSend, ...described } = { ...figures, ...moreFigures };

/**
 * The figures of one sending, or a sum of such figures: the only definition of each counter in the program. Those of a
 * campaign, a job and a sending over its jobs are sums of them, so they agree exactly. Names and descriptions are those
 * of the API document.
 */
export type Counters = Readonly<Record<keyof typeof described, number>>;

// Object.keys and fromEntries lose the names that the type knows.
const names = Object.keys(described) as (keyof Counters)[];

/** The counters of a sending without any event. */
export const noCounters = Object.fromEntries(names.map((name) => [name, 0])) as Counters;

/** Adds up figures counter by counter. */
export function sumCounters(all: Iterable<Counters>): Counters {
  const sum: Record<keyof Counters, number> = { ...noCounters };
  for (const one of all) for (const name of names) sum[name] += one[name];
  return sum;
}
