import { useEffect, useState } from 'react';
import { onSessionEnded } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { useMe } from './session.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Asks for the password over the screen when the session has ended; the screen below keeps what was typed. */
export function SessionEnded() {
  const { words } = useWords();
  const { user } = useMe();
  const [hasEnded, setEnded] = useState(false);
  const signOut = useSignOut();
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  return (
    <Dialog
      isOpen={hasEnded}
      close={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={384}
      zIndex={300}
      title={words.session.ended}
    >
      <p className="small text-2" style={{ marginBottom: 16 }}>
        {words.session.kept}
      </p>
      <SignInForm
        fixedUser={user}
        onSignedIn={() => {
          setEnded(false);
          void queryClient.invalidateQueries();
        }}
      />
      <button type="button" className="link small" style={{ marginTop: 16 }} onClick={signOut}>
        {words.session.other}
      </button>
    </Dialog>
  );
}
