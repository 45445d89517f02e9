import createClient from 'openapi-fetch';
import { loadServiceText } from '../words/service-text.ts';
import { ApiError, NoConnection } from './api-error.ts';
import type { paths } from './schema.d.ts';

/** Calls every operation of the service by its path; the session's cookie goes along by itself. */
export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' });

const listeners = new Set<() => void>();

/** Calls `listener` each time that the service no longer knows the session. */
export function onSessionEnded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let sessions = 0;

/** Says that a new session has begun: refusals of calls that began before it mean the old one. */
export function noteSession(): void {
  sessions += 1;
}

/** What every reply has around its data. */
export interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
}

/** The result of a call: the envelope of a success, or the one of a refusal. */
export interface Answer<E> {
  readonly data?: E;
  readonly error?: unknown;
  readonly response: Response;
}

/** The `data` of a reply, and its headers. @throws as `dataOf` */
export async function answerOf<E extends Envelope>(
  call: Promise<Answer<E>>,
): Promise<{ readonly data: NonNullable<E['data']>; readonly response: Response }> {
  const session = sessions;
  let answer: Answer<E>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new NoConnection();
  }
  const { data, error, response } = answer;
  if (response.ok && data) return { data: data.data as NonNullable<E['data']>, response };
  const refused = error as { error?: string; data?: unknown } | undefined;
  const refusal = new ApiError(response, refused?.error ?? '', refused?.data);
  // What signs in says by 401 that nobody was signed in; no session ended.
  const isSignIn = new URL(response.url).pathname.startsWith('/v1/session');
  if (refusal.status === 401 && session === sessions && !isSignIn)
    for (const listener of listeners) listener();
  // The screen says it as soon as it is thrown.
  await loadServiceText();
  throw refusal;
}

/** The `data` of a reply. @throws ApiError when the service refuses, NoConnection when it cannot be reached. */
export async function dataOf<E extends Envelope>(call: Promise<Answer<E>>): Promise<NonNullable<E['data']>> {
  return (await answerOf(call)).data;
}
