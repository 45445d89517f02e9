import { setTimeout as pause } from 'node:timers/promises';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** The builds of a site run one after the other: each waits for every statement that is older. */
export const indexQueue = (idSite: number): string => `subscriber indexes ${idSite}`;

/** How often a build asks whether another one is done: for 10 s. */
const attempts = 50;
/** The longest that a build waits for statements that are older, such as a long export. */
const longestWait = '10min';

/**
 * Builds an index of a site's subscribers while they are read and written. One that a killed process left unfinished,
 * which PostgreSQL neither uses nor completes, is dropped first. Several at once: the second finds it built.
 * @param definition what follows the table in `create index`
 * @throws when another build, or an older statement, takes too long: the task that builds is retried then
 */
export async function buildIndex(db: SiteDb, name: string, definition: string): Promise<void> {
  await db.withClient(async (client) => {
    // A lock of the session: an index is built concurrently outside of a transaction.
    const lock = [`subscriber index ${db.site.schema} ${name}`];
    // Attempts instead of one statement that waits: an index built concurrently waits for every older statement, and
    // PostgreSQL would end one of the two as a deadlock.
    const attempt = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isHeld"';
    for (let n = 0; !(await client.query<{ isHeld: boolean }>(attempt, lock)).rows[0]!.isHeld; n++) {
      if (n === attempts)
        throw new Error(`The index ${name} of ${db.site.name} is being built by another process`);
      await pause(200);
    }
    try {
      await client.query(`set lock_timeout = '${longestWait}'`);
      if ((await validIndexes(db)).has(name)) return;
      await client.query(`drop index concurrently if exists ${db.name(name).text}`);
      await client.query(`create index concurrently ${name} on ${db.t.subscriber.text} ${definition}`);
    } finally {
      await client.query('reset lock_timeout');
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    }
  });
}

/** The names of the indexes of a site's subscribers that PostgreSQL can use. */
export async function validIndexes(db: SiteDb): Promise<Set<string>> {
  return new Set(
    await db.values<string>(sql`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${db.t.subscriber.text}::regclass and i.indisvalid`),
  );
}
