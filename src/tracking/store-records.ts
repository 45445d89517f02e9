import { addHits, endTurn, startTurn } from '../activity/hit-store.ts';
import {
  forgetUnsubscription,
  pageUnsubscription,
  recordUnsubscription,
} from '../activity/unsubscription-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { keptIn } from '../platform/remembered.ts';
import { within } from '../platform/within.ts';
import { jobOfSent } from '../sending/sent-store.ts';
import { countGrowthAs } from '../subscribers/growth-store.ts';
import { undoUnsubscribe, unsubscribe } from '../subscribers/subscription.ts';
import type { SiteFacts, SpooledUnsubscription, SpoolRecord } from './spool-record.ts';

/** Sites that are written to concurrently, so that hits do not take all connections. */
const atOnce = 4;
/** Time limit for a lock that another transaction holds (a merging import, a migration). */
const lockTimeout = '1s';
/** Time limit of a statement, after which PostgreSQL ends it and frees our connection. */
const statementTimeout = '20s';
/** Time after which a silent connection counts as dead. */
const answerTimeoutMs = 30_000;

/** The facts of one site in records of one source, in their order. */
export interface SitePart {
  readonly idSite: number;
  readonly source: string;
  readonly facts: readonly NumberedFacts[];
}

interface NumberedFacts extends SiteFacts {
  /** The number of the record. */
  readonly number: number;
}

/** A part that was not stored. */
export interface Failure {
  readonly part: SitePart;
  readonly error: unknown;
}

export function partsOf(records: readonly SpoolRecord[]): SitePart[] {
  const parts = new Map<string, { idSite: number; source: string; facts: NumberedFacts[] }>();
  for (const { source, number, sites } of records) {
    for (const facts of sites) {
      const { idSite } = facts;
      const part = keptIn(parts, `${source} ${idSite}`, () => ({ idSite, source, facts: [] }));
      part.facts.push({ ...facts, number });
    }
  }
  return [...parts.values()];
}

/**
 * Stores parts in the database, each once and in its own commit. Hits of a site that no longer exists are dropped.
 * @returns the parts that were not stored, or whose commit outcome is unknown.
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
        // The others would fail too, each after its time limit.
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
    app.log.warn({ idSite, records: facts.length }, 'hits of a site that no longer exists were dropped');
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
 * Unsubscribes a reader and counts it for the sending, once. The link of a test mailing unsubscribes no one.
 * @returns whether the link is of a test mailing
 */
export async function storeUnsubscription(
  db: SiteDb,
  one: SpooledUnsubscription,
): Promise<{ isTest: boolean }> {
  return inPatience(db, (tx) => applyUnsubscription(tx, one));
}

/** Time limit for undoing an unsubscription. */
const undoWithinMs = 3_600_000;

/** Undoes a recent unsubscription from the page; false if there is none. */
export async function undoUnsubscription(
  db: SiteDb,
  { idSent, idSubscriber, at }: { readonly idSent: number; readonly idSubscriber: number; readonly at: Date },
): Promise<boolean> {
  const since = new Date(at.getTime() - undoWithinMs);
  return inPatience(db, async (tx) => {
    const unsubscribedAt = await pageUnsubscription(tx, { idSent, idSubscriber, since });
    await countGrowthAs(tx, 'undo', idSent);
    if (!unsubscribedAt || !(await undoUnsubscribe(tx, idSubscriber, unsubscribedAt))) return false;
    await forgetUnsubscription(tx, { idSent, idSubscriber });
    return true;
  });
}

/** Runs a transaction that neither waits for long nor keeps its connection for long. */
function inPatience<T>(db: SiteDb, work: (tx: SiteDb) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.run(sql`
      select set_config('lock_timeout', ${lockTimeout}, true),
        set_config('statement_timeout', ${statementTimeout}, true)`);
    return work(tx);
  });
}

async function applyUnsubscription(tx: SiteDb, one: SpooledUnsubscription): Promise<{ isTest: boolean }> {
  // Testers are subscribers too: trying the link must not cost them their subscription.
  if ((await jobOfSent(tx, one.idSent))?.isTest) return { isTest: true };
  await countGrowthAs(tx, one.origin, one.idSent);
  await unsubscribe(tx, one.idSubscriber, one.at);
  await recordUnsubscription(tx, one);
  return { isTest: false };
}

/**
 * Classifies why something could not be stored. `away`: the database as a whole is unavailable. `refused`: the record
 * itself is invalid and would be refused again (classes 21 to 44 of PostgreSQL's codes). `broken`: the site's tables
 * are wrong, so all records would fail. `later`: the site alone is blocked for now by locks, timeouts or damaged pages.
 */
export function whyFailed(error: unknown): 'away' | 'refused' | 'broken' | 'later' {
  // A defect in the service, or a record of another version.
  if (error instanceof TypeError) return 'refused';
  const code = (error as { code?: unknown } | undefined)?.code;
  // Other codes are Node's own, about the connection.
  if (typeof code !== 'string' || !/^([0-9]|F0|HV|P0|XX)[0-9A-Z]+$/.test(code)) return 'away';
  // A database that is being restored may be missing, or refuse connections.
  if (/^(08|28|3D|53|57P|58)/.test(code) || code === '25006') return 'away';
  if (/^(3F|42)/.test(code)) return code === '42501' ? 'later' : 'broken';
  return /^(2[1-9A-F]|3|44)/.test(code) ? 'refused' : 'later';
}
