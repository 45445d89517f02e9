import { useEffect, useSyncExternalStore } from 'react';

/** A key, or two one after the other, and what it does. */
export interface Shortcut {
  /** For example `mod+k`, `/`, `j` or `g c`. */
  readonly keys: string;
  /** The action in words, for the list of all keys. */
  readonly label: string;
  readonly run: () => void;
  /** Whether it works in text fields too. */
  readonly inFields?: boolean;
}

const kept = 'facteur.single-keys';
const patienceMs = 1_200;
let active: readonly (readonly Shortcut[])[] = [];
let singleKeys = localStorage.getItem(kept) !== 'off';
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Makes shortcuts work while the component is shown; those of later components come first. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    active = [shortcuts, ...active];
    changed();
    return () => {
      active = active.filter((one) => one !== shortcuts);
      changed();
    };
  }, [shortcuts]);
}

/** All shortcuts that work now, the innermost first. */
export const useActiveShortcuts = (): readonly Shortcut[] =>
  useSyncExternalStore(subscribe, () => active).flat();

/** Whether single letters act, and a function that switches them. */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(subscribe, () => singleKeys);
  return [
    on,
    (next) => {
      singleKeys = next;
      localStorage.setItem(kept, next ? 'on' : 'off');
      changed();
    },
  ];
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // Brackets are typed with AltGr on many keyboards, which some systems report as Control and Alt.
  if (event.key.length === 1 && event.getModifierState('AltGraph')) return key;
  const modifiers = [event.ctrlKey || event.metaKey ? 'mod' : '', event.altKey ? 'alt' : ''];
  return [...modifiers.filter(Boolean), key].join('+');
}

/** Whether something is open over the screen, which has the keys for itself. */
const isCovered = () => document.querySelector('[role="dialog"]') !== null;

/** Listens to the keyboard for all shortcuts; once, in the frame. */
export function useKeyboard(): void {
  useEffect(() => {
    let first = '';
    let forget: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      const isPlain = !name.includes('mod+') && !name.includes('alt+');
      const isBlocked = isPlain && (isField(event.target) || isCovered() || !singleKeys);
      const all = active.flat();
      const sequence = first === '' ? name : `${first} ${name}`;
      const found = all.find(({ keys, inFields }) => keys === sequence && (!isBlocked || inFields));
      clearTimeout(forget);
      first = '';
      if (found) {
        event.preventDefault();
        found.run();
      } else if (!isBlocked && all.some(({ keys }) => keys.startsWith(`${name} `))) {
        first = name;
        forget = setTimeout(() => {
          first = '';
        }, patienceMs);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      clearTimeout(forget);
    };
  }, []);
}
