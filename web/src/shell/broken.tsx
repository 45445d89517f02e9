import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { forgetFailedLoads } from '../api/loads.ts';
import { Failed } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';

/** What is shown instead of a screen that failed. */
export function Broken({ error }: { readonly error: unknown }) {
  const { words } = useWords();
  // Another screen may need them, when the service is back.
  useEffect(forgetFailedLoads, []);
  return (
    <div className="page">
      <Failed error={error} title={words.shell.crashed} />
      <div style={{ padding: '0 16px' }}>
        <Button onClick={() => location.reload()}>{words.shell.reload}</Button>
      </div>
    </div>
  );
}
