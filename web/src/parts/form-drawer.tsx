import { Button, Drawer } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { Opened } from './opened.tsx';
import { useFocusReturn } from './use-focus-return.ts';
import './forms.css';

interface FormDrawerProps {
  readonly title: string;
  readonly close: () => void;
  /**
   * Stores what was typed; the drawer closes after it. A text that it returns is what has to be corrected first; an
   * empty one keeps the drawer open, whose content says why.
   */
  readonly save: () => Promise<string | undefined>;
  /** Default: Save. */
  readonly saveLabel?: string;
  readonly children: ReactNode;
}

/** A form of one column beside the screen. What the service refuses is said below it, and nothing typed is lost. */
export function FormDrawer(props: FormDrawerProps) {
  useFocusReturn();
  return (
    <Opened close={props.close}>
      <Form {...props} />
    </Opened>
  );
}

function Form({ title, close, save, saveLabel, children }: FormDrawerProps) {
  const { words } = useWords();
  const parts = usePartWords();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      const fault = await save();
      if (fault === undefined) close();
      else setError(fault);
    } catch (failure) {
      setError(refusal(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Drawer
      opened
      onClose={close}
      title={<bdi>{title}</bdi>}
      closeButtonProps={{ 'aria-label': words.shell.close }}
      // A click beside a form loses what was typed.
      closeOnClickOutside={false}
    >
      <form className="form" onSubmit={(event) => void submit(event)} noValidate>
        {children}
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div className="row">
          <Button type="submit" variant="filled" loading={isBusy}>
            {saveLabel ?? parts.save}
          </Button>
          <Button onClick={close}>{parts.cancel}</Button>
        </div>
      </form>
    </Drawer>
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
