import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useTitle } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { Entrance } from './entrance.tsx';
import { finishAtProvider, NoAttempt } from './provider.ts';
import { enter } from './session.tsx';
import { useGoOn } from './use-go-on.ts';

/** Where the provider of accounts sends the user back to. */
export function ProviderScreen() {
  const { words } = useWords();
  const refusal = useRefusal();
  const goOn = useGoOn();
  const [{ to, outcome }] = useState(finishAtProvider);
  const [failure, setFailure] = useState<unknown>();
  useTitle(words.session.signIn);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sign-in ends once, whatever is new at a render
  useEffect(() => {
    outcome.then((me) => {
      enter(me);
      goOn(to);
    }, setFailure);
  }, [outcome]);
  return (
    <Entrance>
      <h1 style={{ marginBottom: 16 }}>{words.session.signIn}</h1>
      {failure === undefined ? (
        <p className="text-2" role="status">
          {words.session.signingIn}
        </p>
      ) : (
        <div className="stack tight">
          <p className="note red anywhere" role="alert">
            {failure instanceof NoAttempt ? words.session.noAttempt : refusal(failure)}
          </p>
          <p>
            <Link className="link" to="/sign-in" search={to === undefined ? {} : { to }}>
              {words.session.back}
            </Link>
          </p>
        </div>
      )}
    </Entrance>
  );
}
