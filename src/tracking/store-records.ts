import { addHits, endTurn, startTurn } from '../activity/hit-store.ts';
import {
  forgetUnsubscription,
  pageUnsubscription,
  recordUnsubscription,
} from '../activity/unsubscription-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { within } from '../platform/within.ts';
import { jobOfSent } from '../sending/sent-store.ts';
import { undoUnsubscribe, unsubscribe } from '../subscribers/subscription.ts';
import type { SiteFacts, SpooledUnsubscription, SpoolRecord } from './spool-record.ts';

/** Sites that are written to at once, so that hits do not take all connections. */
const atOnce = 4;
/** A lock that another caller holds for longer (an import that merges, a migration) is not waited for. */
const lockTimeout = '1s';
/** PostgreSQL ends a statement that takes longer, and with it its hold on a connection of ours. */
const statementTimeout = '20s';
/** A connection that says nothing for so long is taken to be dead. */
const answerTimeoutMs = 30_000;

/** What records of one source say of one site, in their order. */
export interface SitePart {
  readonly idSite: number;
  readonly source: string;
  readonly facts: readonly NumberedFacts[];
}

interface NumberedFacts extends SiteFacts {
  /** The record's. */
  readonly number: number;
}

/** A part that was not stored. */
export interface Failure {
  readonly part: SitePart;
  readonly error: unknown;
}

/** Sorts records by source and site. */
export function partsOf(records: readonly SpoolRecord[]): SitePart[] {
  const parts = new Map<string, { idSite: number; source: string; facts: NumberedFacts[] }>();
  for (const { source, number, sites } of records) {
    for (const facts of sites) {
      const { idSite } = facts;
      const key = `${source} ${idSite}`;
      const part = parts.get(key) ?? { idSite, source, facts: [] };
      part.facts.push({ ...facts, number });
      parts.set(key, part);
    }
  }
  return [...parts.values()];
}

/**
 * Puts parts into the database, each once and in one commit of its own. Hits of a site that no longer exists are
 * dropped.
 * @returns those that were not stored, or whose commit was lost sight of.
 */
export async function storeParts(app: App, parts: readonly SitePart[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  const waiting = [...parts];
  const storeAll = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      try {
        await within('The database', answerTimeoutMs, storePart(app, part));
      } catch (error) {
        failures.push({ part, error });
        // The others would fail likewise, each after its time.
        if (whyFailed(error) === 'away')
          failures.push(...waiting.splice(0).map((one) => ({ part: one, error })));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, storeAll));
  return failures;
}

async function storePart(app: App, { idSite, source, facts }: SitePart): Promise<void> {
  const db = await app.siteById(idSite);
  if (!db) {
    app.log.warn({ idSite, records: facts.length }, 'hits of a site that is no more');
    return;
  }
  const stored = await inPatience(db, async (tx) => {
    const last = await startTurn(tx, source);
    const fresh = facts.filter((one) => one.number > last);
    const end = fresh.at(-1);
    if (!end) return 0;
    await addHits(
      tx,
      fresh.map((one) => one.pack),
    );
    for (const { unsubscriptions } of fresh) {
      for (const one of unsubscriptions) await applyUnsubscription(tx, one);
    }
    await endTurn(tx, source, end.number);
    return fresh.reduce((sum, { pack }) => sum + pack.size, 0);
  });
  if (stored > 0) app.counts?.count({ idSite, event: 'hit' }, stored);
}

/**
 * Unsubscribes a reader and counts it for the sent, once. The link of a test mailing unsubscribes nobody.
 * @returns whether the link was one of a test mailing
 */
export async function storeUnsubscription(
  db: SiteDb,
  one: SpooledUnsubscription,
): Promise<{ isTest: boolean }> {
  return inPatience(db, (tx) => applyUnsubscription(tx, one));
}

/** How long a reader may take an unsubscription back. */
const undoWithinMs = 3_600_000;

/** Takes back an unsubscription that was made on the page a short time ago; false when there is none. */
export async function undoUnsubscription(
  db: SiteDb,
  { idSent, idSubscriber, at }: { readonly idSent: number; readonly idSubscriber: number; readonly at: Date },
): Promise<boolean> {
  const since = new Date(at.getTime() - undoWithinMs);
  return inPatience(db, async (tx) => {
    const unsubscribedAt = await pageUnsubscription(tx, { idSent, idSubscriber, since });
    if (!unsubscribedAt || !(await undoUnsubscribe(tx, idSubscriber, unsubscribedAt))) return false;
    await forgetUnsubscription(tx, { idSent, idSubscriber });
    return true;
  });
}

/** A transaction that neither waits for long nor keeps its connection for long. */
function inPatience<T>(db: SiteDb, work: (tx: SiteDb) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.run(sql`
      select set_config('lock_timeout', ${lockTimeout}, true),
        set_config('statement_timeout', ${statementTimeout}, true)`);
    return work(tx);
  });
}

async function applyUnsubscription(tx: SiteDb, one: SpooledUnsubscription): Promise<{ isTest: boolean }> {
  // Testers are subscribers too: one who tries the link must not lose their subscription.
  if ((await jobOfSent(tx, one.idSent))?.isTest) return { isTest: true };
  await unsubscribe(tx, one.idSubscriber, one.at);
  await recordUnsubscription(tx, one);
  return { isTest: false };
}

/**
 * Why something could not be stored. `away`: the database as a whole, for now. `refused`: for what the record says,
 * so it would be again (classes 21 to 44 of PostgreSQL's codes). `broken`: the site's tables are not what they should
 * be, so it holds for all records. `later`: the site alone, for now: locks, timeouts, damaged pages.
 */
export function whyFailed(error: unknown): 'away' | 'refused' | 'broken' | 'later' {
  // A defect of ours, or a record that another version wrote.
  if (error instanceof TypeError) return 'refused';
  const code = (error as { code?: unknown } | undefined)?.code;
  // Others are Node's own, of the connection.
  if (typeof code !== 'string' || !/^([0-9]|F0|HV|P0|XX)[0-9A-Z]+$/.test(code)) return 'away';
  // A database that is being restored may not be there, or not let us in.
  if (/^(08|28|3D|53|57P|58)/.test(code) || code === '25006') return 'away';
  if (/^(3F|42)/.test(code)) return code === '42501' ? 'later' : 'broken';
  return /^(2[1-9A-F]|3|44)/.test(code) ? 'refused' : 'later';
}
