import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useWords } from '../words/words.tsx';
import { type Me, signIn } from './session.tsx';

interface SignInFormProps {
  /** The address of the user whose session ended; nobody else can continue it. */
  readonly fixedEmail?: string;
  readonly onSignedIn: (me: Me) => void;
  /** Called with the address at each failure. */
  readonly onFailed?: (email: string) => void;
}

/** Fields for address and password; one sentence for either that is wrong. */
export function SignInForm({ fixedEmail, onSignedIn, onFailed }: SignInFormProps) {
  const { words } = useWords();
  const say = useSayFailure();
  const [email, setEmail] = useState(fixedEmail ?? '');
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const passwordField = useRef<HTMLInputElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      onSignedIn(await signIn(email.trim(), password));
    } catch (error) {
      setFailure(say(error));
      onFailed?.(email.trim());
      passwordField.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="stack tight" onSubmit={(event) => void submit(event)}>
      <TextInput
        size="md"
        type="email"
        name="email"
        label={words.session.email}
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={fixedEmail !== undefined}
        autoFocus={fixedEmail === undefined}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        size="md"
        name="password"
        ref={passwordField}
        label={words.session.password}
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus={fixedEmail !== undefined || undefined}
        visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
        value={password}
        error={failure}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" variant="filled" size="md" fullWidth loading={isBusy}>
        {words.session.signIn}
      </Button>
    </form>
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
