import type { ReactNode } from 'react';
import { SideSheet } from '../parts/dialog.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { TextField } from '../parts/fields.tsx';
import { useFocusReturn } from '../parts/use-focus-return.ts';

interface KeySheetProps {
  readonly title: string;
  /** The tag that shows it, to copy. */
  readonly tag: string;
  readonly texts: { readonly tag: string };
  /** Before the tag. */
  readonly before?: ReactNode;
  /** After the tag. */
  readonly children?: ReactNode;
  readonly close: () => void;
}

/** A drawer about what a tag names. */
export function KeySheet({ title, tag, texts, before, children, close }: KeySheetProps) {
  useFocusReturn();
  return (
    <SideSheet close={close} title={<bdi>{title}</bdi>}>
      <div className="form">
        {before}
        <Secret secret={tag} what={texts.tag} />
        {children}
      </div>
    </SideSheet>
  );
}

interface KeyFieldProps {
  /** Its name in the body of the call. */
  readonly property: string;
  readonly texts: { readonly key: string; readonly keyText: string };
  readonly maxLength: number;
  readonly value: string;
  readonly change: (key: string) => void;
}

/** The key of a new block, or of new data. */
export function KeyField({ property, texts, maxLength, value, change }: KeyFieldProps) {
  return (
    <TextField
      property={property}
      data-autofocus
      label={texts.key}
      description={texts.keyText}
      spellCheck={false}
      maxLength={maxLength}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
