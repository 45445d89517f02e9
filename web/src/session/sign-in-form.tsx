import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, isAway } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useReturnOfService } from '../api/use-return-of-service.ts';
import { useWords } from '../words/words.tsx';
import { OtherWays } from './other-ways.tsx';
import { isUnknownPasskey, NoPasskey } from './passkeys.ts';
import { enter, type Me } from './session.tsx';
import { useSignInMethods } from './sign-in-methods.ts';
import { usePasskeySignIn } from './use-passkey-sign-in.ts';

interface SignInFormProps {
  /** The user whose session ended; nobody else can continue it. */
  readonly fixedUser?: Me['user'];
  /** The page that the user is going to. Default: the one that is shown. */
  readonly to?: string;
  readonly onSignedIn: (me: Me) => void;
  /** Called with the address at each wrong address or password. */
  readonly onFailed?: (email: string) => void;
}

/** Fields for address and password, and the other ways to sign in; one sentence for either field that is wrong. */
export function SignInForm({ fixedUser, to, onSignedIn, onFailed }: SignInFormProps) {
  const { words } = useWords();
  const say = useSayFailure();
  const sayPasskey = useSayPasskeyFailure();
  const methods = useSignInMethods();
  const [email, setEmail] = useState(fixedUser?.email ?? '');
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState<string>();
  const [otherFailure, setOtherFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  /** How often address or password has changed. */
  const edits = useRef(0);
  const passwordField = useRef<HTMLInputElement>(null);
  const passkey = usePasskeySignIn({
    isOffered: methods.passkeys,
    onSignedIn: async (me) => {
      if (fixedUser && me.user.id !== fixedUser.id) {
        // The screen below is another user's: the session that has just begun must not continue it.
        await dataOf(api.DELETE('/v1/session', {}));
        setOtherFailure(words.session.passkeyOfOther(fixedUser.email));
        return;
      }
      enter(me);
      onSignedIn(me);
    },
    onFailed: (error) => setOtherFailure(sayPasskey(error)),
  });
  const trySignIn = async () => {
    setBusy(true);
    passkey.stop();
    setFailure(undefined);
    setOtherFailure(undefined);
    const before = edits.current;
    try {
      const me = await dataOf(api.POST('/v1/session', { body: { email: email.trim(), password } }));
      enter(me);
      onSignedIn(me);
    } catch (error) {
      // What is being changed is not sent by itself.
      const waits = isAway(error) && edits.current === before;
      setWaiting(waits);
      // A later attempt may find the user in another field.
      if (!(isWaiting && isAway(error))) passwordField.current?.focus();
      if (waits) return;
      setFailure(say(error));
      if (error instanceof ApiError && error.status === 401) onFailed?.(email.trim());
      passkey.offer();
    } finally {
      setBusy(false);
    }
  };
  useReturnOfService(isWaiting && !isBusy && password !== '', trySignIn);
  const edit = () => {
    edits.current += 1;
    if (!isWaiting) return;
    setWaiting(false);
    if (!isBusy) passkey.offer();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void trySignIn();
  };
  return (
    <>
      <form className="stack tight" onSubmit={submit}>
        <TextInput
          size="md"
          type="email"
          name="email"
          label={words.session.email}
          autoComplete={fixedUser ? 'username' : 'username webauthn'}
          required
          withAsterisk={false}
          readOnly={fixedUser !== undefined}
          autoFocus={fixedUser === undefined}
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            edit();
          }}
        />
        <PasswordInput
          size="md"
          name="password"
          ref={passwordField}
          label={words.session.password}
          // A browser offers nothing in a field that cannot be changed.
          autoComplete={fixedUser ? 'current-password webauthn' : 'current-password'}
          required
          withAsterisk={false}
          data-autofocus={fixedUser !== undefined || undefined}
          visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
          value={password}
          error={failure}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
            edit();
          }}
        />
        <Button type="submit" variant="filled" size="md" fullWidth loading={isBusy}>
          {words.session.signIn}
        </Button>
        {isWaiting && (
          <p className="note" role="status">
            {words.session.offline}
          </p>
        )}
      </form>
      <OtherWays
        passkey={methods.passkeys ? passkey : undefined}
        provider={methods.provider}
        to={to}
        hint={fixedUser && words.session.leaves}
        onFailed={(error) => setOtherFailure(say(error))}
      />
      {otherFailure !== undefined && (
        <p className="note red" style={{ marginTop: 16 }} role="alert">
          {otherFailure}
        </p>
      )}
    </>
  );
}

/** Says why a sign-in failed: the same for a wrong address and a wrong password. */
function useSayFailure(): (error: unknown) => string {
  const { words } = useWords();
  const refusal = useRefusal();
  return (error) => {
    if (!(error instanceof ApiError)) return refusal(error);
    if (error.status === 401) return words.session.wrong;
    if (error.status === 429) return words.session.limited(Math.ceil((error.retryAfter ?? 60) / 60));
    return refusal(error);
  };
}

/** Says why no passkey signed in. */
function useSayPasskeyFailure(): (error: unknown) => string {
  const { words } = useWords();
  const say = useSayFailure();
  return (error) => {
    if (error instanceof NoPasskey) return words.session.noPasskey;
    return isUnknownPasskey(error) ? words.session.unknownPasskey : say(error);
  };
}
