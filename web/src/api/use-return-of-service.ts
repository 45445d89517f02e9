import { useEffect, useRef } from 'react';
import { isServiceThere } from './loads.ts';

/** How often it is tried whether the service is back. */
const retryMs = 3_000;

/** Asks whether an unavailable service is back, and then calls a function. */
export function useReturnOfService(isAway: boolean, act: () => void | Promise<void>): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isAway) return undefined;
    let isOver = false;
    const tryAgain = async () => {
      if ((await isServiceThere()) && !isOver) await latest.current();
    };
    const timer = setInterval(() => void tryAgain(), retryMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isAway]);
}
