import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError, NoConnection } from '../api/api-error.ts';
import { forgetFailedLoads } from '../api/loads.ts';
import { Failed } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';

/** How often it is tried whether the service is back. */
const retryMs = 3_000;

/** Whether the service was not reached, or cannot serve anybody now. */
const isAway = (error: unknown) =>
  error instanceof NoConnection || (error instanceof ApiError && error.status > 500);

/** What is shown instead of a screen that failed. */
export function Broken({ error }: { readonly error: unknown }) {
  const { words } = useWords();
  // Another screen may need them, when the service is back.
  useEffect(forgetFailedLoads, []);
  if (isAway(error)) return <Away />;
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
  useEffect(() => {
    const tryAgain = async () => {
      // Asked beside the router, which shows nothing while it loads.
      const answer = await fetch('/v1/me', { credentials: 'same-origin' }).catch(() => undefined);
      if (answer && answer.status <= 500) await router.invalidate();
    };
    const timer = setInterval(() => void tryAgain(), retryMs);
    return () => clearInterval(timer);
  }, [router]);
  return (
    <div className="page">
      <p className="note" role="status">
        {navigator.onLine ? words.session.offline : words.shell.offline}
      </p>
    </div>
  );
}
