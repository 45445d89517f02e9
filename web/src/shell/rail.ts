import { useEffect, useSyncExternalStore } from 'react';

let wanted = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  wanted += by;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Makes the navigation a rail at every width while the component is shown. */
export function useRail(): void {
  useEffect(() => {
    change(1);
    return () => change(-1);
  }, []);
}

/** Whether a screen needs the width of the navigation. */
export const useIsRailWanted = (): boolean => useSyncExternalStore(subscribe, () => wanted > 0);
