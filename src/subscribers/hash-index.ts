import type { Site, SiteDb } from '../platform/db/site-db.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import { remembered } from '../platform/remembered.ts';
import { addTask, task } from '../platform/tasks.ts';
import { buildIndex, indexQueue, validIndexes } from './column-index.ts';

/** Hashes of the email by which subscribers are looked up, with the name of each in functions and indexes. */
export const hashes = { MD5: 'md5', SHA1: 'sha1', SHA2_256: 'sha256', SHA2_512: 'sha512' } as const;
export type Hash = keyof typeof hashes;

export const isHash = (text: string): text is Hash => text in hashes;

/** An index that was just seen is assumed to exist still, which saves a query for each look-up. */
const knownForMs = 60_000;
const lastSeen = remembered((_site: Site) => new Map<Hash, number>());

const nameOf = (hash: Hash) => `subscriber_email_${hashes[hash]}`;

/** The hash of an email address, as in the indexes. @param email an SQL expression. */
export const hashSql = (hash: Hash, email: Sql): Sql =>
  sql`${raw(`facteur.email_${hashes[hash]}`)}(${email})`;

/** Whether a hash has its index; if not, schedules its build (all four cost an import 25 of 52 s a million rows). */
export async function hasHashIndex(db: SiteDb, hash: Hash): Promise<boolean> {
  const seen = lastSeen(db.site);
  if (performance.now() - (seen.get(hash) ?? Number.NEGATIVE_INFINITY) < knownForMs) return true;
  const isThere = (await validIndexes(db)).has(nameOf(hash));
  if (isThere) seen.set(hash, performance.now());
  else {
    const idSite = db.site.id;
    const spec = { jobKey: `hash index ${idSite} ${hash}`, queueName: indexQueue(idSite) };
    await addTask(db, buildHashIndexTask, { idSite, hash }, spec);
  }
  return isThere;
}

/** Builds the index of a hash while subscribers are read and written. */
export async function buildHashIndex(db: SiteDb, hash: Hash): Promise<void> {
  await buildIndex(db, nameOf(hash), `using hash (${hashSql(hash, sql`fld1`).text})`);
}

/** Builds the index for a hash that a site has started to use. */
export const buildHashIndexTask = task<{ readonly idSite: number; readonly hash: Hash }>({
  name: 'buildHashIndex',
  async run(app, { idSite, hash }) {
    const db = await app.siteById(idSite);
    if (db) await buildHashIndex(db, hash);
  },
});
