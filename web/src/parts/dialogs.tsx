import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { CopyButton } from './copy-button.tsx';
import { Opened } from './opened.tsx';
import { useFocusReturn } from './use-focus-return.ts';
import './forms.css';

interface ConfirmProps {
  /** The question, with the name of what it is about. */
  readonly title: string;
  /** What follows from it. */
  readonly text: string;
  /** The button's words: the action, not “Yes”. */
  readonly action: string;
  readonly close: () => void;
  readonly confirm: () => Promise<void>;
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

function Question({ title, text, action, close, confirm }: ConfirmProps) {
  const { words } = useWords();
  const parts = usePartWords();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await confirm();
      close();
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={close}
      title={<bdi className="anywhere">{title}</bdi>}
      closeButtonProps={{ 'aria-label': words.shell.close }}
    >
      <div className="stack tight">
        <p className="text-2 anywhere">{text}</p>
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div className="row">
          <Button data-autofocus onClick={close}>
            {parts.cancel}
          </Button>
          <Button color="red" variant="filled" loading={isBusy} onClick={() => void run()}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Shows a secret that the service does not show again. */
export function SecretDialog({ title, secret, close }: SecretDialogProps) {
  const { words } = useWords();
  const parts = usePartWords();
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': words.shell.close }}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <div className="stack tight">
        <p className="text-2">{parts.shownOnce}</p>
        <Secret secret={secret} what={title} />
        <div>
          <Button variant="filled" onClick={close}>
            {parts.done}
          </Button>
        </div>
      </div>
    </Modal>
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
