import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Conflict, type ConflictField } from './conflict.tsx';

interface FormConflict<T> {
  /** The stored value that the user changes. */
  readonly base: RefObject<T>;
  /** Notes the version of another person that a save met; undefined if it met none. */
  readonly meet: (theirs: T | undefined) => void;
  /** Both versions, until one is taken. */
  readonly show: (fieldsOf: (theirs: T) => readonly ConflictField[]) => ReactNode;
}

/**
 * The conflict of a form with what another person saved in the meantime.
 * @param first the stored value that the user changes
 * @param take puts the other version into the form
 */
export function useConflict<T>(first: T, take: (theirs: T) => void): FormConflict<T> {
  const base = useRef(first);
  const [theirs, meet] = useState<T>();
  const show = (fieldsOf: (theirs: T) => readonly ConflictField[]) => {
    if (theirs === undefined) return null;
    const end = () => {
      base.current = theirs;
      meet(undefined);
    };
    return (
      <Conflict
        fields={fieldsOf(theirs)}
        keepYours={({ currentTarget }) => {
          end();
          currentTarget.form?.requestSubmit();
        }}
        takeTheirs={() => {
          take(theirs);
          end();
        }}
      />
    );
  };
  return { base, meet, show };
}
