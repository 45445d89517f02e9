import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SiteDb } from '../db/site-db.ts';
import type { Operation } from './operation.ts';
import { alreadyThere, changedMeanwhile, invalid } from './refusal.ts';

/** An operation whose record has versions. */
export type Versioned = Operation & Required<Pick<Operation, 'versionOf'>>;

export const isVersioned = (operation: Operation): operation is Versioned =>
  operation.versionOf !== undefined;

/** Whether an operation accepts If-Match. */
export const acceptsIfMatch = (operation: Operation): boolean =>
  isVersioned(operation) && operation.method !== 'GET';

/** The input of a versioned operation; its schemas have validated the request. */
export type Handled = { readonly db: SiteDb } & Parameters<Versioned['versionOf']>[1];

/**
 * Runs the handler of a versioned operation. A read sets the version as ETag, to which entity-tag.ts adds the digest of
 * the response. A write with If-Match compares the versions inside its own transaction, with the record locked, so
 * that of two writers with the same version only one succeeds; its response has the new version. A write with
 * If-None-Match succeeds only if it creates the record.
 * @throws 412 if the record has another version, or exists; 400 if If-None-Match names a version
 */
export async function handleVersion(
  operation: Versioned,
  input: Handled,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
): Promise<unknown> {
  // The schemas that made its type are those that have validated the request.
  const handle = (given: Handled): Promise<unknown> => operation.handle(given as never);
  if (operation.method === 'GET') {
    // Before the record is read: a version that is too old only makes a later write fail.
    const version = await operation.versionOf(input.db, input, false);
    const data = await handle(input);
    if (version !== undefined) reply.header('etag', `"${version}"`);
    return data;
  }
  const ifMatch = headers['if-match'];
  const ifNoneMatch = operation.mayCreate === true ? headers['if-none-match']?.trim() : undefined;
  const isNew = ifNoneMatch === '*';
  if (ifNoneMatch !== undefined && !isNew)
    throw invalid('If-None-Match: must be * without quotes, or left out');
  if (ifMatch === undefined && !isNew) return handle(input);
  let written: string | undefined;
  const db = input.db.guardedBy(async (tx, work) => {
    const version = await operation.versionOf(tx, input, true);
    if (isNew && version !== undefined) throw alreadyThere();
    if (ifMatch !== undefined && (version === undefined || !isNamed(ifMatch, version)))
      throw changedMeanwhile();
    const result = await work();
    written = await operation.versionOf(tx, input, true);
    return result;
  });
  const data = await handle({ ...input, db });
  if (written === undefined) throw new Error(`${operation.id} is versioned and wrote without a transaction`);
  reply.header('etag', `"${written}"`);
  return data;
}

/** Whether If-Match names a version. A proxy that compresses may have made the tag weak. */
function isNamed(ifMatch: string, version: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.some((tag) => tag === '*' || tag.replace(/^"([^".]*)(?:\.[^"]*)?"$/, '$1') === version);
}
