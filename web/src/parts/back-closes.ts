import { useEffect, useRef } from 'react';

/** Where an entry of the browser's history is: on a screen, or so many dialogs above it. */
interface Place {
  readonly depth: number;
  /** The key of the screen's own entry. */
  readonly of: string | undefined;
}

/** The state of an entry: the router's, and its place if it is above a screen. */
interface EntryState {
  readonly __TSR_key?: string;
  readonly over?: Place;
}

const placeOf = (state: EntryState | null): Place => state?.over ?? { depth: 0, of: state?.__TSR_key };

/** The place of the current entry. */
let place: Place = { depth: 0, of: undefined };
/** The address of the current entry if it is above a screen, and the entry of the screen may have an older one. */
let moved: { readonly state: object; readonly href: string } | undefined;
/** What is open above the screen, the newest last. */
const open: { readonly close: () => void }[] = [];

// The router's own functions would show the screen again.
const set = (change: 'pushState' | 'replaceState', state: object, href: string): void =>
  History.prototype[change].call(history, state, '', href);

/**
 * Makes the browser's Back close what `useBackCloses` names. Called once, after the router is made.
 *
 * An opened dialog has an entry of its own, with the address of its screen. After the dialog is closed otherwise, the
 * entry stays for the next dialog; Back passes it, and a navigation replaces it. So no entry shows a screen twice, also
 * after a reload. Only an entry whose address has changed since stays below a navigation: Back then shows that address.
 */
export function startBack(): void {
  arrive(history.state);
  const { pushState, replaceState } = history;
  history.pushState = (state, unused, url) => {
    const change = place.depth > 0 && !moved ? replaceState : pushState;
    change.call(history, state, unused, url);
    place = placeOf(state);
    moved = undefined;
  };
  history.replaceState = (state, unused, url) => {
    if (place.depth === 0) {
      replaceState.call(history, state, unused, url);
      place = placeOf(state);
    } else {
      replaceState.call(history, { ...state, over: place }, unused, url);
      moved = { state, href: location.href };
    }
  };
  // Before the router, which would show the screen again.
  window.addEventListener('popstate', onPop, true);
}

/** Takes over the place of an entry that the router shows. */
function arrive(state: EntryState | null): void {
  place = placeOf(state);
  const { over, ...own } = state ?? {};
  moved = over && { state: own, href: location.href };
}

function onPop(event: PopStateEvent): void {
  const before = place;
  const next = placeOf(event.state);
  if (next.of !== before.of || next.depth === before.depth) {
    arrive(event.state);
    // The entry may show the same screen, whose dialogs would stay: its state is new after a filter was changed.
    closeAll(open.splice(0));
    return;
  }
  place = next;
  event.stopImmediatePropagation();
  if (place.depth > before.depth) return;
  if (moved) {
    set('replaceState', place.depth > 0 ? { ...moved.state, over: place } : moved.state, moved.href);
    place = placeOf(history.state);
  }
  if (place.depth === 0) moved = undefined;
  const closed = open.splice(place.depth);
  // Its dialog is closed already: Back means the screen before.
  if (closed.length === 0) history.back();
  closeAll(closed);
}

/** Closes the newest first. */
function closeAll(closed: { readonly close: () => void }[]): void {
  for (const one of closed.reverse()) one.close();
}

/** Makes the browser's Back close what is open above the screen, instead of leaving the screen. */
export function useBackCloses(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return undefined;
    const own = { close: () => latest.current() };
    open.push(own);
    if (place.depth < open.length) {
      place = { ...place, depth: place.depth + 1 };
      set('pushState', { ...history.state, over: place }, location.href);
    }
    return () => {
      const index = open.indexOf(own);
      if (index >= 0) open.splice(index, 1);
    };
  }, [isOpen]);
}
