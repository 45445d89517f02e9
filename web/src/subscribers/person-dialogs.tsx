import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Confirm } from '../parts/dialogs.tsx';
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
    <Dialog close={close} title={texts.resubscribe}>
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
    </Dialog>
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
    <Confirm
      title={texts.archiveTitle}
      text={texts.archiveText(addressOf(person))}
      action={texts.archiveOne}
      keep={texts.keep}
      close={close}
      confirm={archive}
    />
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
    <Confirm
      title={texts.eraseTitle}
      text={texts.eraseText(address)}
      action={texts.eraseOne}
      keep={texts.keep}
      close={close}
      confirm={isSame ? erase : undefined}
    >
      <p className="small text-2">{texts.eraseStays}</p>
      <TextInput
        label={texts.eraseField}
        placeholder={address}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  );
}
interface EraseProps {
  readonly person: Subscriber;
  readonly close: () => void;
  readonly erase: () => Promise<void>;
}
