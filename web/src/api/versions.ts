import { ApiError } from './api-error.ts';
import { type Answer, answerOf, type Envelope } from './client.ts';

/** What was read of a record or stored in it, with its version then. */
export interface Versioned<T> {
  readonly value: T;
  /** The version, as If-Match names it. */
  readonly etag: string;
}

/** The `data` of a reply with the version of its record. @throws as `dataOf` */
export async function versionedOf<E extends Envelope>(
  call: Promise<Answer<E>>,
): Promise<Versioned<NonNullable<E['data']>>> {
  const { data, response } = await answerOf(call);
  return { value: data, etag: response.headers.get('etag') ?? '' };
}

/** The version in a tag, without the digest of the reply that it came with. */
const versionIn = (etag: string) => /^(?:W\/)?"([^".]*)/.exec(etag)?.[1];

/** Whether two replies were about the same version of their record. */
export const isSameVersion = (one: string, other: string): boolean => versionIn(one) === versionIn(other);

/** The header of a change that is refused if the record has another version by now. */
export const ifMatch = (etag: string) => ({ 'If-Match': etag });

/** Whether a change was refused because of what is stored by now. */
export const isChanged = (error: unknown) => error instanceof ApiError && error.status === 412;

/** How often a record may change between its read and its write, before the user learns of it. */
const mostAttempts = 5;

interface Change<T, R> {
  /** What the user changes, as it was last read; undefined if it has to be read first. */
  readonly known: Versioned<T> | undefined;
  /** Reads the record again; undefined if it no longer exists. */
  readonly read: () => Promise<Versioned<T> | undefined>;
  /** Whether a version of the record has nothing that the change would overwrite unseen. */
  readonly isSame: (value: T) => boolean;
  readonly write: (now: Versioned<T>) => Promise<R>;
}

/** What became of a change: stored, or refused for the version that another person stored; nothing if it is gone. */
export type Outcome<T, R> = { readonly stored: R } | { readonly theirs: Versioned<T> } | undefined;

/**
 * Changes a record, but never over what another person stored since it was read. A version that differs in other
 * parts only is taken as the new base.
 */
export async function storeOver<T, R>({ known, read, isSame, write }: Change<T, R>): Promise<Outcome<T, R>> {
  let now = known;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (now) return { stored: await write(now) };
    } catch (error) {
      if (!isChanged(error) || attempt === mostAttempts) throw error;
    }
    now = await read();
    if (!now) return undefined;
    if (!isSame(now.value)) return { theirs: now };
  }
}
