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
    let timer: ReturnType<typeof setTimeout>;
    const later = () => {
      timer = setTimeout(() => void tryAgain(), retryMs);
    };
    // One after the other, so that a slow reply does not lead to a second call.
    const tryAgain = async () => {
      try {
        if ((await isServiceThere()) && !isOver) await latest.current();
      } finally {
        if (!isOver) later();
      }
    };
    later();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isAway]);
}
