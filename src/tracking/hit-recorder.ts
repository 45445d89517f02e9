import { randomUUID } from 'node:crypto';
import type { Hit } from '../activity/hit.ts';
import type { App } from '../platform/app.ts';
import { Batcher, type Done } from '../platform/batcher.ts';
import { sql } from '../platform/db/sql.ts';
import { Spool } from './spool.ts';
import type { SpooledUnsubscription, SpoolRecord } from './spool-record.ts';
import { applyUnsubscription, isAway, storeRecord } from './store-record.ts';

interface SiteHit {
  readonly idSite: number;
  readonly hit: Hit;
}

/** Hits of one commit; what gathers beyond it goes with the next. */
const maxBatch = 2_000;
/** Hits that may wait for a commit, a few hundred bytes each; beyond it the caller answers 503. */
const maxWaiting = 20_000;
/** A database that does not answer within this is taken to be away. */
const storeTimeoutMs = 3_000;
/** One record of the spool, of up to 2,000 hits, should be stored in this even by a busy database. */
const drainTimeoutMs = 30_000;
/** How often a database that is away is asked whether it is back. */
const probeEveryMs = 250;
/** How often reading the spool back is tried again. */
const retryEveryMs = 1_000;
/** How often the files of processes that are gone are looked for. */
const lookForOrphansEveryMs = 30_000;

/** Too many hits wait; try again in a moment. */
export class Overloaded extends Error {}

/**
 * Makes hits durable before they are answered. One commit is in flight at a time and carries what gathered since the
 * last one. While the database is away the same batches go to the spool, and are read back when it is there again.
 * Nothing is stored twice: see activity/hit-store.ts for the turns of a source.
 */
export class HitRecorder {
  readonly #app: App;
  readonly #spool: Spool;
  readonly #batcher = new Batcher<SiteHit>((batch) => this.#flush(batch), maxBatch);
  #waiting = 0;
  #source = randomUUID();
  #number = 0;
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;
  #recovery: Promise<void> | undefined;
  #isClosed = false;

  constructor(app: App, spoolDir: string) {
    this.#app = app;
    this.#spool = new Spool(spoolDir);
    this.#recoverSoon(0);
  }

  /** Resolves when the hit is durable, in the database or in the spool. Rejects when it could be put in neither. */
  record(idSite: number, hit: Hit): Promise<void> {
    return new Promise((resolve, reject) => {
      this.take(idSite, hit, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Like `record`, without a promise for each hit. */
  take(idSite: number, hit: Hit, done: Done): void {
    if (this.#waiting >= maxWaiting) {
      done(new Overloaded('Too many hits wait to be stored'));
      return;
    }
    this.#waiting++;
    this.#batcher.push({ idSite, hit }, (error) => {
      this.#waiting--;
      done(error);
    });
  }

  /** Unsubscribes a reader; resolves when that is durable, in the database or in the spool. */
  async unsubscribe(idSite: number, one: SpooledUnsubscription): Promise<void> {
    if (!this.#isAway) {
      try {
        await within(storeTimeoutMs, this.#unsubscribeNow(idSite, one));
        return;
      } catch (error) {
        this.#goAway(error);
      }
    }
    // A source of its own, because it does not wait for its turn among the hits. Unsubscribing twice does no harm.
    const sites = [{ idSite, hits: [], unsubscriptions: [one] }];
    await this.#spool.append({ source: randomUUID(), number: 1, sites });
  }

  async #unsubscribeNow(idSite: number, one: SpooledUnsubscription): Promise<void> {
    const db = await this.#app.siteById(idSite);
    await db?.transaction((tx) => applyUnsubscription(tx, one));
  }

  async #flush(batch: readonly SiteHit[]): Promise<void> {
    const record = { source: this.#source, number: ++this.#number, sites: bySite(batch) };
    if (!this.#isAway) {
      try {
        await within(storeTimeoutMs, storeRecord(this.#app, record));
        return;
      } catch (error) {
        this.#goAway(error);
      }
    }
    try {
      await this.#spool.append(record);
    } catch (error) {
      // The spool goes on in another file, and files are not read back in their order: as a turn that comes late
      // would not be taken any more, the records of each file need a source of their own.
      this.#source = randomUUID();
      throw error;
    }
  }

  #goAway(error: unknown): void {
    if (!this.#isAway) this.#app.log.error({ err: error }, 'hits cannot be stored; they go to the spool');
    this.#isAway = true;
    this.#recoverSoon(probeEveryMs);
  }

  #recoverSoon(afterMs: number): void {
    if (this.#isClosed || this.#recovery) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#recovery = this.#recover()
        .then(
          () => (this.#isAway ? probeEveryMs : lookForOrphansEveryMs),
          (error) => {
            this.#app.log.warn({ err: error }, 'the spool could not be read back; trying again');
            return retryEveryMs;
          },
        )
        .then((nextMs) => {
          this.#recovery = undefined;
          this.#recoverSoon(nextMs);
        });
    }, afterMs).unref();
  }

  /** Asks whether the database is back; if so, goes back to it and reads the spool into it. */
  async #recover(): Promise<void> {
    await this.#spool.touch();
    if (this.#isAway) {
      const isBack = await within(storeTimeoutMs, this.#app.control.rows(sql`select 1`)).then(
        () => true,
        () => false,
      );
      if (!isBack) return;
      // From here on batches go straight to the database. They need a new source: those of the old one that are in
      // the spool have lower numbers and would not be taken any more.
      this.#source = randomUUID();
      this.#isAway = false;
      await this.#spool.finish();
    }
    for (const readable of await this.#spool.readable()) {
      const path = await this.#spool.claim(readable);
      if (!path) continue;
      for await (const record of this.#spool.records(path)) {
        if (this.#isClosed) return;
        await this.#storeSpooled(record);
      }
      await this.#spool.remove(path);
    }
  }

  async #storeSpooled(record: SpoolRecord): Promise<void> {
    try {
      // Bounded, or a connection that died without a word would keep us from asking whether the database is back.
      await within(drainTimeoutMs, storeRecord(this.#app, record));
    } catch (error) {
      if (isAway(error)) throw error;
      this.#app.log.error({ err: error }, 'a spooled record was refused by the database and set aside');
      await this.#spool.setAside(record);
    }
  }

  /** Lets what waits become durable; files that could not be read back stay for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#batcher.idle();
    await this.#recovery;
    await this.#spool.finish();
  }
}

function bySite(batch: readonly SiteHit[]) {
  const sites = new Map<number, Hit[]>();
  for (const { idSite, hit } of batch) {
    const hits = sites.get(idSite);
    if (hits) hits.push(hit);
    else sites.set(idSite, [hit]);
  }
  return [...sites].map(([idSite, hits]) => ({ idSite, hits, unsubscriptions: [] }));
}

/** The promise, or a rejection after some time; the work itself goes on. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The database did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
