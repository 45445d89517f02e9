import { addHits, endTurn, startTurn } from '../activity/hit-store.ts';
import { recordUnsubscription } from '../activity/unsubscription-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { unsubscribe } from '../subscribers/subscription.ts';
import type { SiteFacts, SpooledUnsubscription, SpoolRecord } from './spool-record.ts';

/** Sites that are written to at once, so that hits do not take all connections. */
const atOnce = 4;

/** A site's part of a record. */
interface NumberedFacts extends SiteFacts {
  readonly number: number;
}

/**
 * Puts records of one source, in their order, into the database: each site's part once and in one commit of its own.
 * Hits of a site that is gone are dropped. Rejects with the first error when all parts were tried; the others may be
 * stored.
 */
export async function storeRecords(app: App, records: readonly SpoolRecord[]): Promise<void> {
  const bySite = new Map<number, NumberedFacts[]>();
  for (const { number, sites } of records) {
    for (const facts of sites) {
      const ofSite = bySite.get(facts.idSite) ?? [];
      ofSite.push({ ...facts, number });
      bySite.set(facts.idSite, ofSite);
    }
  }
  const source = records[0]?.source ?? '';
  const errors: unknown[] = [];
  const sites = [...bySite];
  for (let from = 0; from < sites.length; from += atOnce) {
    const some = sites.slice(from, from + atOnce);
    const results = await Promise.allSettled(
      some.map(([idSite, facts]) => storeOnSite(app, source, idSite, facts)),
    );
    for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
  }
  if (errors.length > 0) throw errors.find(isAway) ?? errors[0];
}

async function storeOnSite(
  app: App,
  source: string,
  idSite: number,
  facts: readonly NumberedFacts[],
): Promise<void> {
  const db = await app.siteById(idSite);
  if (!db) {
    app.log.warn({ idSite, records: facts.length }, 'hits of a site that is no more');
    return;
  }
  await db.transaction(async (tx) => {
    const last = await startTurn(tx, source);
    const fresh = facts.filter((one) => one.number > last);
    const end = fresh.at(-1);
    if (!end) return;
    await addHits(
      tx,
      fresh.map((one) => one.pack),
    );
    for (const { unsubscriptions } of fresh) {
      for (const one of unsubscriptions) await applyUnsubscription(tx, one);
    }
    await endTurn(tx, source, end.number);
  });
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
