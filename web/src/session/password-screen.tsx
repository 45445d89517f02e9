import { Button, PasswordInput } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useTitle } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { Entrance } from './entrance.tsx';

const route = getRouteApi('/password');

/** Where the link of a notice leads: a new password, once. */
export function PasswordScreen() {
  const { words } = useWords();
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const [password, setPassword] = useState('');
  const [failure, setFailure] = useState<string>();
  useTitle(words.session.choose);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await dataOf(api.POST('/v1/password-links/use', { body: { token: token ?? '', password } }));
      await navigate({ to: '/sign-in', search: { saved: true } });
    } catch (error) {
      setFailure(refusal(error));
    }
  };
  return (
    <Entrance>
      <h1 style={{ marginBottom: 24 }}>{words.session.choose}</h1>
      <form className="stack tight" onSubmit={(event) => void submit(event)}>
        <PasswordInput
          size="md"
          label={words.session.newPassword}
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
          value={password}
          error={failure}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" variant="filled" size="md" fullWidth>
          {words.session.save}
        </Button>
      </form>
      <p style={{ marginTop: 16 }}>
        <Link className="link small" to="/sign-in" search={{}}>
          {words.session.back}
        </Link>
      </p>
    </Entrance>
  );
}
