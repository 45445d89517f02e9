import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { App } from '../platform/app.ts';
import { notFound, Refusal, refused, unavailable } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { SealedAttempt } from './sealed-attempt.ts';

type OidcConfig = NonNullable<App['config']['oidc']>;

/** How long a user may take at the provider. */
export const oidcAttemptMs = 600_000;
const attempts = new SealedAttempt<{ state: string; nonce: string; verifier: string }>(
  'oidc attempt',
  oidcAttemptMs,
);
const providerLimitS = 10;

/** The provider's own description, which is requested once. A failure is not kept. */
const provider = remembered((_oidc: OidcConfig): { found?: Promise<Configuration> } => ({}));

function configurationOf(oidc: OidcConfig): Promise<Configuration> {
  const known = provider(oidc);
  known.found ??= discovery(new URL(oidc.issuer), oidc.clientId, oidc.clientSecret, undefined, {
    timeout: providerLimitS,
    // The configuration allows http on this machine only.
    execute: oidc.issuer.startsWith('http:') ? [allowInsecureRequests] : [],
  }).catch((error) => {
    known.found = undefined;
    throw error;
  });
  return known.found;
}

const configured = ({ config }: App): OidcConfig => {
  if (!config.oidc) throw notFound('A provider of accounts (FACTEUR_OIDC_ISSUER)');
  return config.oidc;
};

/** Where the provider sends the user back to: a page of the console. */
const returnAddress = ({ publicUrl }: App): string => `${publicUrl}/console/oidc`;

/** Begins a sign-in: where the browser goes, what the client keeps. @throws 404 without a provider, 503 if silent */
export async function startOidc(app: App, now: Date): Promise<{ url: string; secret: string }> {
  const oidc = configured(app);
  const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(await answered(app, configurationOf(oidc)), {
    redirect_uri: returnAddress(app),
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, secret: attempts.seal(app.secrets, attempt, now) };
}

/**
 * The account that a user has signed in to at the provider.
 * @param parameters the query with which the provider sent the browser back
 * @throws 404 without a provider, 422 when the sign-in is not valid, 503 when the provider does not answer
 */
export async function finishOidc(
  app: App,
  { secret, parameters }: { readonly secret: string; readonly parameters: string },
  now: Date,
) {
  const oidc = configured(app);
  const attempt = attempts.open(app.secrets, secret, now);
  if (!attempt) throw refused('secret: the sign-in was begun elsewhere or too long ago; begin again');
  const back = new URL(returnAddress(app));
  back.search = parameters;
  return answered(
    app,
    (async () => {
      const configuration = await configurationOf(oidc);
      const tokens = await authorizationCodeGrant(configuration, back, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const { email, email_verified: isVerified } =
        claims.email === undefined
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: isVerified === true && typeof email === 'string' ? email : undefined,
      };
    })(),
  );
}

/** Waits for the provider. Its own texts are logged, not shown: they are for whoever configures it. */
async function answered<T>(app: App, waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    app.log.warn({ err: error }, 'sign-in at the provider of accounts failed');
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
      throw refused(`parameters: the provider of accounts refused the sign-in (${error.error}); begin again`);
    // A state or nonce of another sign-in, a signature that is wrong, an issuer that is not the configured one.
    if (error instanceof ClientError && isOfResponse(error))
      throw refused('parameters: they do not belong to this sign-in; begin again');
    throw unavailable(
      'The provider of accounts does not answer as expected; try again, or sign in with your password. The log has ' +
        'the reason',
    );
  }
}

/** The client reports as OAUTH_… what a response contains, and what the network did by other codes. */
const isOfResponse = ({ code }: ClientError): boolean =>
  code === 'OAUTH_INVALID_RESPONSE' ||
  code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' ||
  code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
