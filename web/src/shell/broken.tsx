import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ConsoleUpdated, isAway } from '../api/api-error.ts';
import { forgetFailedLoads, isFailedLoad } from '../api/loads.ts';
import { useReturnOfService } from '../api/use-return-of-service.ts';
import { Failed } from '../parts/states.tsx';
import { Entrance } from '../session/entrance.tsx';
import { useIsInSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';

/** The page of a screen that failed: inside the frame of a site, or with a page around it where there is none. */
export function Broken({ error }: { readonly error: unknown }) {
  const { words } = useWords();
  const isInSite = useIsInSite();
  // Another screen may need them, when the service is back.
  useEffect(forgetFailedLoads, []);
  const failure = (
    <>
      <h1 className="hidden">{words.shell.failed}</h1>
      <Failure error={error} />
    </>
  );
  return isInSite ? failure : <Entrance>{failure}</Entrance>;
}

function Failure({ error }: { readonly error: unknown }) {
  const { words } = useWords();
  if (isAway(error)) return <Away />;
  // A piece that is no screen of its own fails with the browser's error.
  const updated = isFailedLoad(error) ? new ConsoleUpdated() : error;
  if (updated instanceof ConsoleUpdated)
    return (
      <div className="page">
        <Failed error={updated} />
      </div>
    );
  return (
    <div className="page">
      <Failed error={error} title={words.shell.crashed} />
      <div style={{ padding: '0 16px' }}>
        <Button onClick={() => location.reload()}>{words.shell.reload}</Button>
      </div>
    </div>
  );
}

/** Says that the service is away, and loads the screen again when it answers. */
function Away() {
  const { words } = useWords();
  const router = useRouter();
  // Asked beside the router, which shows nothing while it loads.
  useReturnOfService(true, () => router.invalidate());
  return (
    <div className="page">
      <p className="note" role="status">
        {navigator.onLine ? words.session.offline : words.shell.offline}
      </p>
    </div>
  );
}
