import { useEffect, useSyncExternalStore } from 'react';
import type { Place } from './places.ts';

/** A screen about one thing, as the bar on top of a phone shows it. */
export interface WayBack {
  /** The place that lists such things. */
  readonly place: Place['id'];
  /** The name of the thing; undefined if the screen shows it in the bar itself. */
  readonly name?: string | undefined;
}

let current: WayBack | undefined;
const listeners = new Set<() => void>();

function show(next: WayBack | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Shows the way back to a place on top of a phone while the component is shown; nothing without a place. */
export function useWayBack(place: Place['id'] | undefined, name?: string): void {
  useEffect(() => {
    if (!place) return undefined;
    const own = { place, name };
    show(own);
    return () => {
      // The next screen may show its own before this one is removed.
      if (current === own) show(undefined);
    };
  }, [place, name]);
}

/** The way back from the screen that is shown; undefined on the screen of a place. */
export const useShownWayBack = (): WayBack | undefined => useSyncExternalStore(subscribe, () => current);
