import { useEffect, useState } from 'react';

/** By then the first screen is usable, and what it does without can load. */
const settledAfterMs = 3_000;

let isSettled = false;

/** Whether the console has been open for a while, so that more can load without delaying the first screen. */
export function useSettled(): boolean {
  const [is, setIs] = useState(isSettled);
  useEffect(() => {
    if (is) return undefined;
    const settle = () => {
      isSettled = true;
      setIs(true);
    };
    const timer = setTimeout(settle, settledAfterMs);
    return () => clearTimeout(timer);
  }, [is]);
  return is;
}
