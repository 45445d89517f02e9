import { useRef } from 'react';
import type { ChartPoint } from '../parts/line-chart.tsx';

/** The span over which the speed is measured. */
const windowMs = 15_000;
/** Points that the line keeps; then every second one is dropped. */
const mostPoints = 400;

/** A number of people at a time. */
export interface Seen {
  readonly at: number;
  readonly count: number;
}

/** A speed, and the number of people that had been reached then. */
export interface SpeedPoint extends ChartPoint {
  readonly count: number;
}

/** The speed now, and since the first figures. */
export interface Speeds {
  /** People a second over the last 15 seconds; undefined until two figures of different times are known. */
  readonly speed: number | undefined;
  /** People a second at each time, oldest first; then the values beside. */
  readonly line: readonly SpeedPoint[];
  /** The first figure. */
  readonly first: Seen | undefined;
}

/**
 * Measures a speed from a number of people at each time.
 * @param at when the number was read; 0 if it is not known yet
 * @param beside what each point of the line has besides the speed
 */
export function useSpeeds(count: number, at: number, beside: readonly number[] = []): Speeds {
  const seen = useRef<readonly Seen[]>([]);
  const line = useRef<readonly SpeedPoint[]>([]);
  const first = useRef<Seen>(undefined);
  const last = seen.current.at(-1);
  if (at > 0 && last?.at !== at) {
    if (last) {
      const perSecond = Math.max(0, (1000 * (count - last.count)) / (at - last.at));
      line.current = [...line.current, { at, count, values: [perSecond, ...beside] }];
      if (line.current.length > mostPoints) line.current = line.current.filter((_, index) => index % 2 === 0);
    }
    first.current ??= { at, count };
    seen.current = [...seen.current.filter((one) => at - one.at <= windowMs), { at, count }];
  }
  const [oldest] = seen.current;
  const newest = seen.current.at(-1);
  const speed =
    !oldest || !newest || newest.at === oldest.at
      ? undefined
      : Math.max(0, (1000 * (newest.count - oldest.count)) / (newest.at - oldest.at));
  return { speed, line: line.current, first: first.current };
}
