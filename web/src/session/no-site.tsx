import { useTitle } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { Entrance } from './entrance.tsx';
import { useMe } from './session.tsx';
import { useSignOut } from './use-sign-out.ts';

/** What a user sees who has access to no site. */
export function NoSite() {
  const { words } = useWords();
  const { user } = useMe();
  const signOut = useSignOut();
  useTitle('Facteur');
  return (
    <Entrance>
      <h1>{user.name}</h1>
      <p className="text-2" style={{ margin: '8px 0 16px' }}>
        {words.session.noSite}
      </p>
      <button type="button" className="link" onClick={signOut}>
        {words.session.signOut}
      </button>
    </Entrance>
  );
}
