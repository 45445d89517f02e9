import type { Site, SiteDb } from '../platform/db/site-db.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import { addJob, type TaskPayload } from '../platform/jobs.ts';
import { remembered } from '../platform/remembered.ts';
import { buildIndex, validIndexes } from './column-index.ts';

/** Hashes of the email by which subscribers are looked up, with the function that makes each. */
export const hashes = { MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' } as const;
export type Hash = keyof typeof hashes;

/** The task that builds an index (jobs/build-hash-index.ts). */
export const buildHashIndexName = 'buildHashIndex';
export interface HashIndexPayload extends TaskPayload {
  readonly idSite: number;
  readonly hash: Hash;
}

export const isHash = (text: string): text is Hash => text in hashes;

/** An index that was there a moment ago is taken to be there still: one query less for each look-up. */
const knownForMs = 60_000;
const lastSeen = remembered((_site: Site) => new Map<Hash, number>());

const nameOf = (hash: Hash) => `subscriber_email_${hashes[hash]}`;

/** The hash of an email address, as the indexes have it. @param email an expression of SQL. */
export const hashSql = (hash: Hash, email: Sql): Sql =>
  sql`${raw(`facteur.email_${hashes[hash]}`)}(${email})`;

/**
 * Whether a site's subscribers can be looked up by a hash in an index. If not, has the index built in the background:
 * imports of sites that never look up by hash do not pay for it (25 of 52 s for a million rows with all four).
 */
export async function hasHashIndex(db: SiteDb, hash: Hash): Promise<boolean> {
  const seen = lastSeen(db.site);
  if (performance.now() - (seen.get(hash) ?? Number.NEGATIVE_INFINITY) < knownForMs) return true;
  const isThere = (await validIndexes(db)).has(nameOf(hash));
  if (isThere) seen.set(hash, performance.now());
  else {
    const payload: HashIndexPayload = { idSite: db.site.id, hash };
    await addJob(db, { name: buildHashIndexName }, payload, { jobKey: `hash index ${db.site.id} ${hash}` });
  }
  return isThere;
}

/** Builds the index of a hash while subscribers are read and written. */
export async function buildHashIndex(db: SiteDb, hash: Hash): Promise<void> {
  await buildIndex(db, nameOf(hash), `using hash (${hashSql(hash, sql`fld1`).text})`);
}
