import { addHits, storeHits, takeBatchTurn } from '../activity/hit-store.ts';
import { recordUnsubscription } from '../activity/unsubscription-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { unsubscribe } from '../subscribers/subscription.ts';
import type { SiteFacts, SpooledUnsubscription, SpoolRecord } from './spool-record.ts';

/** Sites that are written to at once, so that hits do not take all connections. */
const atOnce = 4;

/**
 * Puts a record into the database, each site's part once and in one commit of its own. Hits of a site that is gone
 * are dropped. Rejects with the first error when all parts were tried; the others may be stored.
 */
export async function storeRecord(app: App, record: SpoolRecord): Promise<void> {
  const errors: unknown[] = [];
  for (let from = 0; from < record.sites.length; from += atOnce) {
    const some = record.sites.slice(from, from + atOnce);
    const results = await Promise.allSettled(some.map((facts) => storeFacts(app, record, facts)));
    for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
  }
  if (errors.length > 0) throw errors.find(isAway) ?? errors[0];
}

async function storeFacts(app: App, { source, number }: SpoolRecord, facts: SiteFacts): Promise<void> {
  const { idSite, hits, unsubscriptions } = facts;
  const db = await app.siteById(idSite);
  if (!db) {
    app.log.warn({ idSite, hits: hits.length }, 'hits of a site that is no more');
  } else if (unsubscriptions.length === 0) {
    await storeHits(db, { source, number, hits });
  } else {
    await db.transaction(async (tx) => {
      if (!(await takeBatchTurn(tx, { source, number }))) return;
      await addHits(tx, hits);
      for (const one of unsubscriptions) await applyUnsubscription(tx, one);
    });
  }
}

/** Unsubscribes a reader and counts it for the sent, once; to be called in a transaction. */
export async function applyUnsubscription(tx: SiteDb, one: SpooledUnsubscription): Promise<void> {
  await unsubscribe(tx, one.idSubscriber, one.at);
  await recordUnsubscription(tx, one);
}

/**
 * Does the error say that the database is away for now? Anything that PostgreSQL refuses for what the statement says
 * (classes 21 to 44 of its codes) would be refused again.
 */
export function isAway(error: unknown): boolean {
  // A defect of ours, or a record that another version wrote.
  if (error instanceof TypeError) return false;
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code !== 'string' || !/^(2[1-9A-F]|3|42|44)[0-9A-Z]{3,4}$/.test(code) || code === '25006';
}
