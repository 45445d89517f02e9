import { useCallback, useEffect, useRef, useState } from 'react';
import { askPasskey, hasPasskeysInFields, NoPasskey, sendPasskey, stopAsking } from './passkeys.ts';
import type { Me } from './session.tsx';

/** The service accepts a signature for five minutes; an offer that is older is renewed. */
const offerLastsMs = 240_000;

interface PasskeySignInOptions {
  /** Whether service and browser have passkeys. */
  readonly isOffered: boolean;
  readonly onSignedIn: (me: Me) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** Signing in with a passkey: offered in the field from the beginning, and by a button. */
export function usePasskeySignIn(options: PasskeySignInOptions): PasskeySignIn {
  const { isOffered } = options;
  const latest = useRef(options);
  latest.current = options;
  const [isBusy, setBusy] = useState(false);
  /** When the present offer began; undefined while there is none. */
  const offer = useRef<number>(undefined);
  const begin = useCallback(async () => {
    const begun = Date.now();
    offer.current = begun;
    const isWanted = () => offer.current === begun;
    try {
      if (!(await hasPasskeysInFields())) return;
      const signature = await askPasskey(true, isWanted);
      if (isWanted()) offer.current = 0;
      await sendPasskey(signature).then(latest.current.onSignedIn).catch(latest.current.onFailed);
    } catch {
      // The user has not asked for a passkey: what keeps it from being offered is not said.
    }
  }, []);
  const stop = useCallback(() => {
    if (offer.current === undefined) return;
    offer.current = undefined;
    void stopAsking();
  }, []);
  useEffect(() => {
    if (!isOffered) return undefined;
    void begin();
    const renew = () => {
      if (offer.current !== undefined && Date.now() - offer.current > offerLastsMs) void begin();
    };
    addEventListener('focus', renew);
    addEventListener('focusin', renew);
    return () => {
      removeEventListener('focus', renew);
      removeEventListener('focusin', renew);
      stop();
    };
  }, [isOffered, begin, stop]);
  const use = async () => {
    setBusy(true);
    // The browser asks one question at a time: this one ends the offer.
    offer.current = undefined;
    try {
      await latest.current.onSignedIn(await sendPasskey(await askPasskey(false)));
    } catch (error) {
      latest.current.onFailed(error);
      if (!(error instanceof NoPasskey && error.reason === 'stopped')) void begin();
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    use: () => void use(),
    stop,
    offer: () => {
      if (isOffered) void begin();
    },
  };
}
interface PasskeySignIn {
  readonly isBusy: boolean;
  /** Asks for a passkey now. */
  readonly use: () => void;
  /** Ends the offer in the field. */
  readonly stop: () => void;
  /** Offers passkeys in the field again. */
  readonly offer: () => void;
}
