import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import type { Me } from './session.tsx';

/** Whether this browser has passkeys for the page: not at an IP address, whatever the service's own name is. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && !/^(\[.*\]|[\d.]+)$/.test(location.hostname);

/** The code that talks to the browser's passkeys; loaded when it is needed. */
const library = () => import('@simplewebauthn/browser');

/** Why the browser gave no passkey. */
export class NoPasskey extends Error {
  /** `stopped`: the page itself ended the question. `known`: the device already has one for this user. */
  readonly reason: 'stopped' | 'known' | 'declined';

  constructor(reason: NoPasskey['reason']) {
    super(`No passkey: ${reason}`);
    this.name = 'NoPasskey';
    this.reason = reason;
  }
}

/** Whether the browser offers passkeys inside a field, beside stored passwords. */
export async function hasPasskeysInFields(): Promise<boolean> {
  return hasPasskeys() && (await (await library()).browserSupportsWebAuthnAutofill());
}

/** Ends the question that the browser is asking the user, if there is one. */
export async function stopAsking(): Promise<void> {
  (await library()).WebAuthnAbortService.cancelCeremony();
}

type Signature = components['schemas']['PasskeySignIn'];

/**
 * Asks for a signature by a passkey of the user's choice.
 * @param isInField the browser offers them in the field, and waits until one is chosen
 * @param isWanted whether the question still makes sense when the service has answered
 * @throws NoPasskey when none was chosen
 */
export async function askPasskey(isInField: boolean, isWanted = () => true): Promise<Signature> {
  const { startAuthentication } = await library();
  const { secret, challenge, host } = await dataOf(api.POST('/v1/session/passkey/start', {}));
  if (!isWanted()) throw new NoPasskey('stopped');
  const { id, response } = await answered(
    startAuthentication({
      optionsJSON: { challenge, rpId: host, userVerification: 'required' },
      useBrowserAutofill: isInField,
    }),
  );
  return {
    secret,
    credential: id,
    clientData: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
  };
}

/** Opens a session by the signature of a passkey. @throws ApiError when the service refuses it */
export const sendPasskey = (body: Signature): Promise<Me> =>
  dataOf(api.POST('/v1/session/passkey', { body }));

/**
 * Adds a passkey of this device for the signed-in user.
 * @param currentPassword undefined for users who have none
 * @throws NoPasskey when none was made, ApiError when the service refuses it
 */
export async function addPasskey(
  { name, email }: { readonly name: string; readonly email: string },
  currentPassword: string | undefined,
): Promise<void> {
  const { startRegistration } = await library();
  const asked = await dataOf(
    api.POST('/v1/me/passkeys/start', { body: { currentPassword: currentPassword ?? null } }),
  );
  const { id, response } = await answered(
    startRegistration({
      optionsJSON: {
        challenge: asked.challenge,
        rp: { id: asked.host, name: 'Facteur' },
        user: { id: asked.userHandle, name: email, displayName: email },
        pubKeyCredParams: asked.algorithms.map((alg) => ({ alg, type: 'public-key' })),
        excludeCredentials: asked.existing.map((existing) => ({ id: existing, type: 'public-key' })),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    }),
  );
  await dataOf(
    api.POST('/v1/me/passkeys', {
      body: {
        secret: asked.secret,
        name,
        credential: id,
        clientData: response.clientDataJSON,
        attestation: response.attestationObject,
        transports: response.transports ?? [],
      },
    }),
  );
}

/** Waits for the browser. Its own words are for developers, so only the reason is kept. */
async function answered<T>(waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'AbortError') throw new NoPasskey('stopped');
    if (name === 'InvalidStateError') throw new NoPasskey('known');
    throw new NoPasskey('declined');
  }
}

/** Whether the service refuses a passkey because it belongs to nobody. */
export const isUnknownPasskey = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;
