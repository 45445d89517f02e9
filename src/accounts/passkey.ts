import { isIP } from 'node:net';
import type { VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import type { App } from '../platform/app.ts';
import { refused } from '../platform/http/refusal.ts';
import { Closed, Id, Line, Nullable, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { SealedAttempt } from './sealed-attempt.ts';

/** Loads the library at the first passkey request: 7 MB that many processes never need. */
const library = () => import('@simplewebauthn/server');

/** Time in milliseconds that a user has to answer the browser. */
export const passkeyAttemptMs = 300_000;
const registrations = new SealedAttempt<{ challenge: string; idUser: number }>(
  'passkey registration',
  passkeyAttemptMs,
);
const signIns = new SealedAttempt<{ challenge: string }>('passkey sign-in', passkeyAttemptMs);

const Bytes = (maxLength: number) =>
  Type.String({ title: 'String', minLength: 1, maxLength, description: 'Base64url' });
const Secret = () => Type.String({ title: 'String', minLength: 1, maxLength: 2_000 });

export const PasskeySchema = Closed('Passkey', {
  id: Id('passkey'),
  name: Type.String(),
  creationDate: Timestamp(),
  lastUseDate: Nullable(Timestamp()),
});

/** A request for a new passkey: the browser hands it to `navigator.credentials.create`. */
export const PasskeyRequestSchema = Closed('PasskeyRequest', {
  secret: Type.String({ description: 'Belongs to this attempt and this client' }),
  challenge: Type.String(),
  host: Type.String({ description: 'The relying party' }),
  userHandle: Type.String(),
  algorithms: Type.Array(Type.Integer(), { description: 'COSE algorithms, the preferred first' }),
  existing: Type.Array(Type.String(), { description: 'Credentials that the user already has' }),
});

export const NewPasskeySchema = Closed('NewPasskey', {
  secret: Secret(),
  name: Line(100),
  credential: Bytes(1_400),
  clientData: Bytes(10_000),
  attestation: Bytes(60_000),
  transports: Type.Array(Line(20), { maxItems: 10 }),
});

export const PasskeySignInRequestSchema = Closed('PasskeySignInRequest', {
  secret: Type.String({ description: 'Belongs to this attempt and this client' }),
  challenge: Type.String(),
  host: Type.String({ description: 'The relying party' }),
});

export const PasskeySignInSchema = Closed('PasskeySignIn', {
  secret: Secret(),
  credential: Bytes(1_400),
  clientData: Bytes(10_000),
  authenticatorData: Bytes(10_000),
  signature: Bytes(10_000),
});

/** The place of the browser's page: passkeys belong to a host, and only its pages may use them. */
export interface PasskeyPlace {
  readonly origin: string;
  readonly host: string;
}

/** Whether browsers have passkeys for the service: it needs the name of a host, and https except on this machine. */
export function hasPasskeys(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return !isAddress && (protocol === 'https:' || hostname === 'localhost');
}

/** @param origin the page's origin, which is one of the service's own. @throws 422 where there are no passkeys. */
export function placeOf({ publicUrl }: App, origin: string | null): PasskeyPlace {
  const url = new URL(origin ?? publicUrl);
  if (!hasPasskeys(url.href))
    throw refused(
      `There are no passkeys at ${url.origin}: open the console by https and the name of its host`,
    );
  return { origin: url.origin, host: url.hostname };
}

/** A stored passkey, as its signatures are verified by it. */
export interface StoredPasskey {
  readonly id: number;
  readonly idUser: number;
  readonly credential: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
}

/** Begins the registration of a passkey for a user. */
export async function requestPasskey(
  app: App,
  place: PasskeyPlace,
  user: { readonly id: number; readonly email: string; readonly credentials: readonly Buffer[] },
  now: Date,
): Promise<Static<typeof PasskeyRequestSchema>> {
  const existing = user.credentials.map((credential) => credential.toString('base64url'));
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'Facteur',
    rpID: place.host,
    userName: user.email,
    userID: Uint8Array.from(Buffer.from(`user ${user.id}`)),
    excludeCredentials: existing.map((id) => ({ id })),
  });
  return {
    secret: registrations.seal(app.secrets, { challenge: options.challenge, idUser: user.id }, now),
    challenge: options.challenge,
    host: place.host,
    userHandle: options.user.id,
    algorithms: options.pubKeyCredParams.map(({ alg }) => alg),
    existing,
  };
}

/** The credential that a browser made for a user. @throws 422 when it is not valid, or of another attempt. */
export async function verifyNewPasskey(
  app: App,
  place: PasskeyPlace,
  idUser: number,
  given: Static<typeof NewPasskeySchema>,
  now: Date,
): Promise<{ credential: Buffer; publicKey: Buffer; counter: number }> {
  const attempt = registrations.open(app.secrets, given.secret, now);
  if (attempt?.idUser !== idUser) throw tooLate;
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verified(
    app,
    verifyRegistrationResponse({
      response: {
        id: given.credential,
        rawId: given.credential,
        type: 'public-key',
        response: { clientDataJSON: given.clientData, attestationObject: given.attestation },
        clientExtensionResults: {},
      },
      expectedChallenge: attempt.challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.host,
    }),
  );
  if (!registrationInfo) throw notValid;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { credential: Buffer.from(id, 'base64url'), publicKey: Buffer.from(publicKey), counter };
}

/** Begins a sign-in by whatever passkey the browser has for the service. */
export async function requestPasskeySignIn(
  app: App,
  { host }: PasskeyPlace,
  now: Date,
): Promise<Static<typeof PasskeySignInRequestSchema>> {
  const { generateAuthenticationOptions } = await library();
  const { challenge } = await generateAuthenticationOptions({ rpID: host });
  return { secret: signIns.seal(app.secrets, { challenge }, now), challenge, host };
}

/** Verifies a sign-in's signature; returns the counter and the challenge's time. @throws 422 when it is not valid */
export async function verifyPasskeySignIn(
  app: App,
  place: PasskeyPlace,
  passkey: StoredPasskey,
  given: Static<typeof PasskeySignInSchema>,
  now: Date,
): Promise<{ counter: number; challengedAt: Date }> {
  const attempt = signIns.open(app.secrets, given.secret, now);
  if (!attempt) throw tooLate;
  const { verifyAuthenticationResponse } = await library();
  const { verified: isRight, authenticationInfo }: VerifiedAuthenticationResponse = await verified(
    app,
    verifyAuthenticationResponse({
      response: {
        id: given.credential,
        rawId: given.credential,
        type: 'public-key',
        response: {
          clientDataJSON: given.clientData,
          authenticatorData: given.authenticatorData,
          signature: given.signature,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: attempt.challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.host,
      credential: {
        id: passkey.credential.toString('base64url'),
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  );
  if (!isRight) throw notValid;
  return { counter: authenticationInfo.newCounter, challengedAt: new Date(attempt.at) };
}

const tooLate = refused('secret: the attempt was begun elsewhere or too long ago; begin again');
const notValid = refused('The passkey is not valid here; use another one, or your password');

/** The library throws what it finds wrong in what the client sent. */
async function verified<T>(app: App, verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    app.log.warn({ err: error }, 'a passkey was not valid');
    throw notValid;
  }
}
