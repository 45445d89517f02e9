import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Confirm } from '../parts/dialogs.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { toast } from '../shell/toasts.tsx';
import { lazyWords } from '../words/lazy.ts';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { addPasskey, NoPasskey } from './passkeys.ts';
import { useMe } from './session.tsx';
import { useSignInMethods } from './sign-in-methods.ts';

type Passkey = components['schemas']['Passkey'];

const usePasskeyWords = lazyWords({
  en: async () => (await import('../words/en/passkeys.ts')).passkeys,
  fr: async () => (await import('../words/fr/passkeys.ts')).passkeys,
});

/** The user's own passkeys: which there are, a new one, and one less. */
export function PasskeysDialog({ close }: { readonly close: () => void }) {
  const { words } = useWords();
  const texts = usePasskeyWords();
  const parts = usePartWords();
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const reload = () => queries.invalidateQueries({ queryKey: ['passkeys'] });
  if (removed)
    return (
      <Confirm
        title={texts.removeTitle(removed.name)}
        text={texts.removeText}
        action={parts.remove}
        close={() => setRemoved(undefined)}
        confirm={async () => {
          const path = { idpasskey: removed.id };
          await dataOf(api.DELETE('/v1/me/passkeys/{idpasskey}', { params: { path } }));
          await reload();
          toast({ text: texts.removed(removed.name) });
        }}
      />
    );
  return (
    <Dialog
      close={close}
      title={isAdding ? texts.add : words.session.passkeys}
      // A click beside a form loses what was typed.
      closeOnClickOutside={!isAdding}
    >
      {isAdding ? (
        <PasskeyForm
          close={() => setAdding(false)}
          added={async (name) => {
            await reload();
            setAdding(false);
            toast({ text: texts.added(name) });
          }}
        />
      ) : (
        <PasskeyList add={() => setAdding(true)} remove={setRemoved} />
      )}
    </Dialog>
  );
}

function PasskeyList({ add, remove }: PasskeyListProps) {
  const texts = usePasskeyWords();
  const methods = useSignInMethods();
  const passkeys = useQuery({
    queryKey: ['passkeys'],
    queryFn: () => dataOf(api.GET('/v1/me/passkeys', {})),
  });
  return (
    <div className="stack tight">
      <p className="text-2">{texts.about}</p>
      {passkeys.isPending ? (
        <Loading rows={2} />
      ) : passkeys.isError ? (
        <Failed error={passkeys.error} retry={() => void passkeys.refetch()} />
      ) : (
        <Rows passkeys={passkeys.data} remove={remove} />
      )}
      {methods.passkeys && (
        <div>
          <Button data-autofocus variant="filled" onClick={add}>
            {texts.add}
          </Button>
        </div>
      )}
      {methods.isKnown && !methods.passkeys && <p className="note">{texts.notHere}</p>}
    </div>
  );
}
interface PasskeyListProps {
  readonly add: () => void;
  readonly remove: (passkey: Passkey) => void;
}

function Rows({ passkeys, remove }: RowsProps) {
  const { format } = useWords();
  const texts = usePasskeyWords();
  const parts = usePartWords();
  if (passkeys.length === 0) return <p className="text-2">{texts.none}</p>;
  return (
    <ul className="stack tight">
      {passkeys.map((passkey) => (
        <li key={passkey.id} className="row" style={{ flexWrap: 'nowrap' }}>
          <div className="grow anywhere">
            <bdi className="strong">{passkey.name}</bdi>
            <p className="small text-2">
              {passkey.lastUseDate
                ? texts.lastUse(format.moment(passkey.lastUseDate))
                : texts.neverUsed(format.day(passkey.creationDate))}
            </p>
          </div>
          <Button
            size="xs"
            style={{ flex: 'none' }}
            aria-label={`${parts.remove}: ${passkey.name}`}
            onClick={() => remove(passkey)}
          >
            {parts.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}
interface RowsProps {
  readonly passkeys: readonly Passkey[];
  readonly remove: (passkey: Passkey) => void;
}

/** Asks for a name and the password, and then the browser for a passkey. */
function PasskeyForm({ close, added }: PasskeyFormProps) {
  const { words } = useWords();
  const texts = usePasskeyWords();
  const parts = usePartWords();
  const { user } = useMe();
  const say = useSayFailure();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const passkey = { name: name.trim(), email: user.email };
      await addPasskey(passkey, password === '' ? undefined : password);
      await added(passkey.name);
    } catch (error) {
      setFailure(say(error));
      setBusy(false);
    }
  };
  return (
    <form className="stack tight" onSubmit={(event) => void submit(event)}>
      <TextInput
        data-autofocus
        label={texts.name}
        placeholder={texts.nameHint}
        required
        withAsterisk={false}
        // Spaces alone are no name.
        pattern=".*\S.*"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label={words.session.currentPassword}
        description={texts.passwordText}
        autoComplete="current-password"
        maxLength={200}
        visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
        value={password}
        error={failure?.isOfPassword === true && failure.text}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {failure?.isOfPassword === false && (
        <p className="note red" role="alert">
          {failure.text}
        </p>
      )}
      <div className="row">
        <Button type="submit" variant="filled" loading={isBusy}>
          {texts.create}
        </Button>
        <Button onClick={close}>{parts.cancel}</Button>
      </div>
    </form>
  );
}
interface PasskeyFormProps {
  readonly close: () => void;
  readonly added: (name: string) => Promise<void>;
}

interface Failure {
  readonly isOfPassword: boolean;
  readonly text: string;
}

/** Says why no passkey was added, and whether the password is to be corrected. */
function useSayFailure(): (error: unknown) => Failure {
  const { words } = useWords();
  const texts = usePasskeyWords();
  const refusal = useRefusal();
  return (error) => {
    if (error instanceof NoPasskey)
      return { isOfPassword: false, text: error.reason === 'known' ? texts.known : texts.declined };
    const isOfPassword =
      error instanceof ApiError && error.code === 'refused' && error.message.startsWith('currentPassword:');
    return { isOfPassword, text: isOfPassword ? words.session.wrongCurrent : refusal(error) };
  };
}
