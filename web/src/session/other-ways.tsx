import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useWords } from '../words/words.tsx';
import { leaveForProvider } from './provider.ts';

interface OtherWaysProps {
  /** Asks for a passkey; omitted where there are none. */
  readonly passkey?: { readonly isBusy: boolean; readonly use: () => void } | undefined;
  /** The name of the company's accounts; omitted where there are none. */
  readonly provider?: string | undefined;
  /** The page that the user is going to. Default: the one that is shown. */
  readonly to: string | undefined;
  /** Said beside the company's accounts, which lead to another page. */
  readonly hint?: string | undefined;
  readonly onFailed: (error: unknown) => void;
}

/** The ways to sign in beside the password. */
export function OtherWays({ passkey, provider, to, hint, onFailed }: OtherWaysProps) {
  const { words } = useWords();
  const router = useRouter();
  const [isLeaving, setLeaving] = useState(false);
  const leave = async () => {
    setLeaving(true);
    try {
      await leaveForProvider(to ?? router.state.location.href);
    } catch (error) {
      setLeaving(false);
      onFailed(error);
    }
  };
  if (!passkey && provider === undefined) return null;
  return (
    <div className="stack tight" style={{ gap: 8, marginTop: 16 }}>
      {passkey && (
        <Button size="md" fullWidth loading={passkey.isBusy} onClick={passkey.use}>
          {words.session.usePasskey}
        </Button>
      )}
      {provider !== undefined && (
        <Button size="md" fullWidth loading={isLeaving} onClick={() => void leave()}>
          {words.session.continueWith(provider)}
        </Button>
      )}
      {provider !== undefined && hint && <p className="small text-2">{hint}</p>}
    </div>
  );
}
