import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useFocusReturn } from '../parts/use-focus-return.ts';
import { useWords } from '../words/words.tsx';
import { addressOf, type Subscriber } from './subscriber.ts';

/** Asks for the origin of the consent before a person is subscribed again. */
export function ConsentDialog({ close, resubscribe }: ConsentProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  const refusal = useRefusal();
  const [origin, setOrigin] = useState('');
  const [error, setError] = useState('');
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (origin.trim() === '') return setError(texts.noConsent);
    await resubscribe(origin.trim()).then(close, (failure: unknown) => setError(refusal(failure)));
  };
  return (
    <Modal
      opened
      onClose={close}
      title={texts.resubscribe}
      closeButtonProps={{ 'aria-label': words.shell.close }}
    >
      <form className="stack tight" onSubmit={(event) => void confirm(event)} noValidate>
        <p className="text-2">{texts.consentText}</p>
        <TextInput
          data-autofocus
          label={texts.consent}
          placeholder={texts.consentHint}
          maxLength={255}
          value={origin}
          error={error || undefined}
          onChange={(event) => {
            setOrigin(event.currentTarget.value);
            setError('');
          }}
        />
        <div>
          <Button type="submit" variant="filled">
            {texts.resubscribe}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
interface ConsentProps {
  readonly close: () => void;
  readonly resubscribe: (origin: string) => Promise<void>;
}

/** Asks before a person is archived. */
export function ArchiveDialog({ person, close, archive }: ArchiveProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  return (
    <Question title={texts.archiveTitle} action={texts.archiveOne} close={close} confirm={archive}>
      <p className="text-2 anywhere">{texts.archiveText(addressOf(person))}</p>
    </Question>
  );
}
interface ArchiveProps {
  readonly person: Subscriber;
  readonly close: () => void;
  readonly archive: () => Promise<void>;
}

/** Asks for the address of a person before everything about them is erased for good. */
export function EraseDialog({ person, close, erase }: EraseProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  const [typed, setTyped] = useState('');
  const address = addressOf(person);
  const isSame = typed.trim().toLowerCase() === address.toLowerCase();
  return (
    <Question
      title={texts.eraseTitle}
      action={texts.eraseOne}
      close={close}
      confirm={isSame ? erase : undefined}
    >
      <p className="text-2 anywhere">{texts.eraseText(address)}</p>
      <p className="small text-2">{texts.eraseStays}</p>
      <TextInput
        label={texts.eraseField}
        placeholder={address}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Question>
  );
}
interface EraseProps {
  readonly person: Subscriber;
  readonly close: () => void;
  readonly erase: () => Promise<void>;
}

/** A question whose safe answer has the focus, and what is refused. */
function Question({ title, action, close, confirm, children }: QuestionProps) {
  const { words } = useWords();
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  useFocusReturn();
  const run = async () => {
    setBusy(true);
    try {
      await confirm?.();
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': words.shell.close }}>
      <div className="stack tight">
        {children}
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div className="row">
          <Button data-autofocus onClick={close}>
            {words.subscribers.keep}
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
    </Modal>
  );
}
interface QuestionProps {
  readonly title: string;
  readonly action: string;
  readonly close: () => void;
  /** Undefined: not yet. */
  readonly confirm: (() => Promise<void>) | undefined;
  readonly children: ReactNode;
}
