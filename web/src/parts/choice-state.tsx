import { useEffect, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useWords } from '../words/words.tsx';

const slowMs = 300;

interface ChoiceStateProps {
  /** The query of what can be chosen. */
  readonly query: {
    readonly data: unknown;
    readonly error: unknown;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
}

/** Below a choice: that its records are being loaded, or why they are missing and a way to load them again. */
export function ChoiceState({ query: { data, error, isFetching, refetch } }: ChoiceStateProps) {
  const { words } = useWords();
  const refusal = useRefusal();
  if (data !== undefined) return null;
  if (!error || isFetching)
    return (
      <p className="small text-3" role="status" style={{ marginTop: 6 }}>
        {words.shell.loading}
      </p>
    );
  return (
    <p className="small red" role="alert" style={{ marginTop: 6 }}>
      {words.shell.failed} {refusal(error)}{' '}
      <button type="button" className="link" onClick={() => void refetch()}>
        {words.errors.tryAgain}
      </button>
    </p>
  );
}

/** Whether a part has been there for so long that what it loads is slow; a flash of “Loading” says nothing. */
export function useIsSlow(): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return isSlow;
}
