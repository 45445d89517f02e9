import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { Opened } from './opened.tsx';
import { useFocusReturn } from './use-focus-return.ts';
import './forms.css';

interface ConfirmProps {
  /** The question, with the name of what it is about. */
  readonly title: string;
  /** What follows from it. */
  readonly text: string;
  /** What else is said or asked. */
  readonly children?: ReactNode;
  /** The button's words: the action, not “Yes”. */
  readonly action: string;
  /** The words of the safe button. Default: Cancel. */
  readonly keep?: string;
  readonly close: () => void;
  /** Undefined: something has to be typed first. */
  readonly confirm: (() => Promise<void>) | undefined;
}

/** Asks before something that cannot be undone; the focus is on the safe button. */
export function Confirm(props: ConfirmProps) {
  useFocusReturn();
  return (
    <Opened close={props.close}>
      <Question {...props} />
    </Opened>
  );
}

function Question({ title, text, children, action, keep, close, confirm }: ConfirmProps) {
  const parts = usePartWords();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await confirm?.();
      close();
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog close={close} title={<bdi className="anywhere">{title}</bdi>}>
      <div className="stack tight">
        <p className="text-2 anywhere">{text}</p>
        {children}
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div className="row dialog-acts">
          <Button data-autofocus onClick={close}>
            {keep ?? parts.cancel}
          </Button>
          <Button
            color="red"
            variant="filled"
            disabled={!confirm}
            loading={isBusy}
            onClick={() => void run()}
          >
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Shows a secret that the service does not show again. */
export function SecretDialog({ title, secret, close }: SecretDialogProps) {
  const parts = usePartWords();
  useFocusReturn();
  return (
    <Dialog close={close} title={title} closeOnClickOutside={false} closeOnEscape={false}>
      <div className="stack tight">
        <p className="text-2">{parts.shownOnce}</p>
        <Secret secret={secret} what={title} />
        <div>
          <Button variant="filled" onClick={close}>
            {parts.done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly close: () => void;
}

/** A text to copy: a secret, an address, a record. */
export function Secret({ secret, what }: { readonly secret: string; readonly what: string }) {
  return (
    <div className="secret">
      <code className="mono">{secret}</code>
      <CopyButton text={secret} what={what} />
    </div>
  );
}
