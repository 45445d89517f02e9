import type { ReactNode } from 'react';
import { usePartWords } from '../words/use-part-words.ts';
import { SideSheet } from './dialog.tsx';
import { Opened } from './opened.tsx';
import { SubmitForm, type SubmitFormProps } from './submit-form.tsx';
import { useFocusReturn } from './use-focus-return.ts';

interface FormDrawerProps extends Omit<SubmitFormProps, 'saveLabel' | 'cancelLabel'> {
  readonly title: string;
  /** Default: Save. */
  readonly saveLabel?: string | undefined;
}

/** A form of one column beside the screen. */
export function FormDrawer(props: FormDrawerProps) {
  useFocusReturn();
  return (
    <Opened close={props.close}>
      <Form {...props} />
    </Opened>
  );
}

function Form({ title, saveLabel, ...props }: FormDrawerProps) {
  const parts = usePartWords();
  const close = () => {
    props.draft?.forget();
    props.close();
  };
  return (
    <SideSheet
      close={close}
      // What was typed is kept: on a phone, Back is touched by mistake.
      back={props.close}
      title={<bdi>{title}</bdi>}
      // A click beside a form loses what was typed.
      closeOnClickOutside={false}
    >
      <SubmitForm {...props} close={close} saveLabel={saveLabel ?? parts.save} cancelLabel={parts.cancel} />
    </SideSheet>
  );
}

/** The rare fields of a form, closed until they are wanted. */
export function MoreFields({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  const parts = usePartWords();
  return (
    <details className="more-fields">
      <summary className="strong">{title ?? parts.more}</summary>
      <div className="form">{children}</div>
    </details>
  );
}
