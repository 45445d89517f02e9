import { useRef } from 'react';
import type { ChartPoint } from '../parts/line-chart.tsx';

/** The span over which the speed is measured. */
const windowMs = 15_000;
/** Points that the line keeps; then every second one is dropped. */
const mostPoints = 400;

interface Seen {
  readonly at: number;
  readonly accepted: number;
}

/** The speed now, and since the first figures. */
export interface Speeds {
  /** Messages a second over the last 15 seconds; undefined until two figures of different times are known. */
  readonly speed: number | undefined;
  /** Messages a second at each time, oldest first. */
  readonly line: readonly ChartPoint[];
}

/** Measures the speed from the accepted messages at each time. */
export function useSpeeds(accepted: number, at: number): Speeds {
  const seen = useRef<readonly Seen[]>([]);
  const line = useRef<readonly ChartPoint[]>([]);
  const last = seen.current.at(-1);
  if (at > 0 && last?.at !== at) {
    if (last) {
      const perSecond = Math.max(0, (1000 * (accepted - last.accepted)) / (at - last.at));
      line.current = [...line.current, { at, values: [perSecond] }];
      if (line.current.length > mostPoints) line.current = line.current.filter((_, index) => index % 2 === 0);
    }
    seen.current = [...seen.current.filter((one) => at - one.at <= windowMs), { at, accepted }];
  }
  const first = seen.current[0];
  const newest = seen.current.at(-1);
  const speed =
    !first || !newest || newest.at === first.at
      ? undefined
      : (1000 * (newest.accepted - first.accepted)) / (newest.at - first.at);
  return { speed, line: line.current };
}
