import { type ReactNode, useRef, useState } from 'react';
import { Conflict, type ConflictField } from './conflict.tsx';
import type { FormDraft } from './use-form-draft.ts';
import type { Changed } from './use-last-change.ts';

interface FormConflict<T> {
  /** The stored value that the user changes. */
  readonly base: { readonly current: T };
  /** Notes the version of another person that a save met; undefined if it met none. */
  readonly meet: (theirs: T | undefined) => void;
  /** Both versions, until one is taken. */
  readonly show: (fieldsOf: (theirs: T) => readonly ConflictField[]) => ReactNode;
  /** The draft of the form. When it is discarded, the conflict ends too. */
  readonly draft: FormDraft;
}

/**
 * The conflict of a form with what another person saved in the meantime.
 * @param first the stored value that the user changes, as it was before a conflict
 * @param take puts the other version into the form
 * @param of the record that the form changes
 */
export function useConflict<T>(
  draft: FormDraft,
  first: T,
  take: (theirs: T) => void,
  of: Changed,
): FormConflict<T> {
  /** The other version that the user has seen in a conflict. */
  const seen = useRef<T>(undefined);
  const [theirs, meet] = useState<T>();
  const show = (fieldsOf: (theirs: T) => readonly ConflictField[]) => {
    if (theirs === undefined) return null;
    const end = () => {
      seen.current = theirs;
      meet(undefined);
    };
    return (
      <Conflict
        of={of}
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
  return {
    base: {
      get current() {
        return seen.current ?? first;
      },
    },
    meet,
    show,
    draft: {
      ...draft,
      discard() {
        draft.discard();
        seen.current = undefined;
        meet(undefined);
      },
    },
  };
}
