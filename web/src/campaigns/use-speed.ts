import { useRef } from 'react';

/** The span over which the speed is measured. */
const windowMs = 15_000;

/** Messages a second over the last 15 seconds; undefined until two figures of different times are known. */
export function useSpeed(accepted: number, at: number): number | undefined {
  const seen = useRef<{ readonly at: number; readonly accepted: number }[]>([]);
  if (at > 0 && seen.current.at(-1)?.at !== at) {
    seen.current = [...seen.current.filter((one) => at - one.at <= windowMs), { at, accepted }];
  }
  const [first] = seen.current;
  const last = seen.current.at(-1);
  if (!first || !last || last.at === first.at) return undefined;
  return (1000 * (last.accepted - first.accepted)) / (last.at - first.at);
}
