import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useTitle } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { Entrance } from './entrance.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useSignInMethods } from './sign-in-methods.ts';
import { useGoOn } from './use-go-on.ts';

const route = getRouteApi('/sign-in');
/** Failures after which the screen says what to do about a forgotten password. */
const patience = 2;

/** Where a user signs in; afterwards they see the screen that they were going to. */
export function SignInScreen() {
  const { words } = useWords();
  const { to, saved } = route.useSearch();
  const goOn = useGoOn();
  const [failures, setFailures] = useState(0);
  const [email, setEmail] = useState('');
  useTitle(words.session.signIn);
  return (
    <Entrance>
      <h1>{words.session.signIn}</h1>
      <p className="text-2" style={{ margin: '4px 0 24px' }}>
        {words.session.to(location.host)}
      </p>
      {saved && (
        <p className="note" style={{ marginBottom: 16 }}>
          {words.session.saved}
        </p>
      )}
      <SignInForm
        to={to ?? '/'}
        onSignedIn={() => goOn(to)}
        onFailed={(typed) => {
          setEmail(typed);
          setFailures(failures + 1);
        }}
      />
      {failures >= patience && <ForgottenPassword email={email} />}
    </Entrance>
  );
}

/** Sends a link for a new password to an address, where the service can, and says what else helps. */
function ForgottenPassword({ email }: { readonly email: string }) {
  const { words } = useWords();
  const refusal = useRefusal();
  const { passwordLinks } = useSignInMethods();
  const [outcome, setOutcome] = useState<string>();
  const send = () =>
    dataOf(api.POST('/v1/password-links', { body: { email } })).then(
      () => setOutcome(words.session.linkSent),
      (error: unknown) => setOutcome(refusal(error)),
    );
  return (
    <section className="stack tight" style={{ marginTop: 24, gap: 8 }} role="status">
      <h2>{words.session.forgotten}</h2>
      {!passwordLinks ? (
        <p className="small text-2">{words.session.askAdministrator}</p>
      ) : outcome === undefined ? (
        <>
          <p className="small text-2">
            {words.session.linkTo} {email}
          </p>
          <Button onClick={() => void send()}>{words.session.sendLink}</Button>
        </>
      ) : (
        <p className="small">{outcome}</p>
      )}
      {passwordLinks && <p className="small text-3">{words.session.noLink}</p>}
    </section>
  );
}
