import { api, dataOf } from '../api/client.ts';
import type { Me } from './session.tsx';

const kept = 'facteur.provider-sign-in';

/** A sign-in at the provider of accounts that this tab has begun. */
interface Attempt {
  readonly secret: string;
  /** The page that the user was going to. */
  readonly to?: string | undefined;
}

/**
 * The query that the provider sent the browser back with. It is read, and removed from the address, before the first
 * screen: a code in the address would stay in the history, and the router would write numbers in another way.
 */
const sent = takeQuery();

function takeQuery(): string {
  if (!/^\/console\/oidc\/?$/.test(location.pathname)) return '';
  const query = location.search.slice(1);
  if (location.search !== '' || location.hash !== '') history.replaceState(null, '', location.pathname);
  return query;
}

/** Leaves for the provider of accounts. */
export async function leaveForProvider(to: string | undefined): Promise<void> {
  const { url, secret } = await dataOf(api.POST('/v1/session/provider/start', {}));
  sessionStorage.setItem(kept, JSON.stringify({ secret, to } satisfies Attempt));
  location.assign(url);
}

/** The sign-in was begun in another tab, or has ended. */
export class NoAttempt extends Error {
  constructor() {
    super('No sign-in was begun here');
    this.name = 'NoAttempt';
  }
}

/** How a sign-in at the provider ended, and where the user was going. */
export interface ProviderReturn {
  readonly to: string | undefined;
  readonly outcome: Promise<Me>;
}

let finished: ProviderReturn | undefined;

/** Finishes the sign-in that the provider sent the browser back from; once, because its code works once. */
export function finishAtProvider(): ProviderReturn {
  finished ??= finish();
  return finished;
}

function finish(): ProviderReturn {
  const attempt = takeAttempt();
  const outcome =
    attempt && sent !== ''
      ? dataOf(api.POST('/v1/session/provider', { body: { secret: attempt.secret, parameters: sent } }))
      : Promise.reject(new NoAttempt());
  // The screen says the failure, later than the browser reports a failure without a listener.
  outcome.catch(() => undefined);
  return { to: attempt?.to, outcome };
}

function takeAttempt(): Attempt | undefined {
  const text = sessionStorage.getItem(kept);
  sessionStorage.removeItem(kept);
  return text === null ? undefined : (JSON.parse(text) as Attempt);
}
