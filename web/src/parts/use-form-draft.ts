import { useEffect, useState } from 'react';
import { useMe, useSite } from '../session/session.tsx';
import { formKeys, keep, readKept } from './kept.ts';

/** The value that was typed into a field, and the one that the field began with. */
interface Typed {
  readonly value: unknown;
  readonly from: unknown;
}

/** The unsaved values of a form. They survive a reload of the tab. */
export interface FormDraft {
  /** The value of a field and its setter, as of `useState`. No password, token or key may be a field of a draft. */
  field<T>(name: string, initial: T): readonly [T, (next: T | ((now: T) => T)) => void];
  /** The first value of a field that was typed into; undefined for others. */
  began(name: string): unknown;
  /** Whether what was typed before a reload is shown. */
  readonly isRestored: boolean;
  /** Shows again what the form began with. */
  discard(): void;
  /** Removes what is kept; called when the form is closed. */
  forget(): void;
}

/** The kept value of a field, unless it has another form than the field. */
function shownOf<T>(typed: Typed | undefined, initial: T): T {
  const value = typed?.value;
  if (value === undefined) return initial;
  if (initial === undefined) return value as T;
  if (typeof value !== typeof initial || Array.isArray(value) !== Array.isArray(initial)) return initial;
  if (typeof value !== 'object' || Array.isArray(value)) return value as T;
  // What an earlier version of the console kept has fewer properties.
  return { ...initial, ...value };
}

/** The draft of a form of the signed-in user. @param id the record that it changes; omitted for a new one */
export function useFormDraft(form: string, id: number | string = 'new'): FormDraft {
  const site = useSite();
  const me = useMe();
  const key = `${formKeys}${me.user.id}.${site.name}.${form}.${id}`;
  const [typed, setTyped] = useState(
    () => readKept<Readonly<Record<string, Typed>>>(sessionStorage, key) ?? {},
  );
  const [isRestored, setRestored] = useState(() => Object.keys(typed).length > 0);
  useEffect(() => {
    keep(sessionStorage, key, Object.keys(typed).length > 0 ? typed : undefined);
  }, [key, typed]);
  return {
    field<T>(name: string, initial: T) {
      const set = (next: T | ((now: T) => T)) =>
        setTyped(({ [name]: before, ...others }) => {
          const value = next instanceof Function ? next(shownOf(before, initial)) : next;
          if (JSON.stringify(value) === JSON.stringify(initial)) return others;
          return { ...others, [name]: { value, from: before ? before.from : initial } };
        });
      return [shownOf(typed[name], initial), set] as const;
    },
    began: (name) => typed[name]?.from,
    isRestored,
    discard() {
      setTyped({});
      setRestored(false);
    },
    forget: () => keep(sessionStorage, key, undefined),
  };
}
