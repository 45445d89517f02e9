import type { Hit } from '../activity/hit.ts';
import { joinHits, type PackedHit, packHit } from '../activity/packed-hits.ts';
import type { App } from '../platform/app.ts';
import { Batcher, type Done } from '../platform/batcher.ts';
import { keptIn } from '../platform/remembered.ts';
import { within } from '../platform/within.ts';
import { HitSpool } from './hit-spool.ts';
import { Quarantine, type QuarantineState } from './quarantine.ts';
import { SpoolDrain } from './spool-drain.ts';
import type { SiteFacts, SpooledUnsubscription } from './spool-record.ts';
import { storeUnsubscription, undoUnsubscription } from './store-records.ts';

interface SiteHit {
  readonly idSite: number;
  readonly hit: PackedHit;
}

/** Maximum number of hits in a record; further ones go into the next. */
const maxBatch = 2_000;
/** Maximum number of hits that wait to be written, a few hundred bytes each; above it the caller returns 503. */
const maxWaiting = 20_000;
/** Time limit of an unsubscription in the database, after which it goes to the spool. */
const unsubscribeTimeoutMs = 3_000;

/** Time limit of the check of the disk. */
const lookTimeoutMs = 2_000;

export interface RecorderState {
  /** Why hits cannot be made durable now: `full`, or the system's error code; undefined if they can. */
  readonly trouble: string | undefined;
  readonly aside: QuarantineState;
}

/** Too many hits are waiting to be written. */
export class Overloaded extends Error {}

/**
 * Makes hits durable before they are answered. They are written to the spool, one synced write at a time, which
 * contains everything that gathered since the last one. A moment later they are stored in the database, many in a
 * commit. So a response never waits for the database, which may be unavailable. No hit is stored twice: see the turns
 * of a source in activity/hit-store.ts.
 */
export class HitRecorder {
  readonly #app: App;
  readonly #spool: HitSpool;
  readonly #aside: Quarantine;
  readonly #drain: SpoolDrain;
  readonly #batcher = new Batcher<SiteHit>((batch) => this.#write(bySite(batch)), maxBatch);

  constructor(app: App, spoolDir: string) {
    this.#app = app;
    this.#spool = new HitSpool(spoolDir);
    this.#aside = new Quarantine(spoolDir, this.#spool.name, app.log);
    this.#drain = new SpoolDrain(app, this.#spool, this.#aside);
  }

  /** Returns whether hits can be made durable now, and what waits for an operator. */
  async state(): Promise<RecorderState> {
    const trouble = await within('The disk', lookTimeoutMs, this.#spool.trouble()).catch(() => 'no answer');
    return { trouble, aside: await this.#aside.state() };
  }

  /** Resolves when the hit is durable. Rejects if it could not be made durable. */
  record(idSite: number, hit: Hit): Promise<void> {
    return new Promise((resolve, reject) => {
      this.take(idSite, hit, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /**
   * Like `record`, without a promise for each hit.
   * @throws TypeError for a hit that no column could hold.
   */
  take(idSite: number, hit: Hit, done: Done): void {
    if (this.#batcher.waiting >= maxWaiting) done(new Overloaded('Too many hits are waiting to be written'));
    else this.#batcher.push({ idSite, hit: packHit(hit) }, done);
  }

  /**
   * Unsubscribes a reader; resolves when that is in the database or, if the database is unavailable, in the spool.
   * @returns whether the link is known to be of a test mailing, which unsubscribes no one
   */
  async unsubscribe(idSite: number, one: SpooledUnsubscription): Promise<{ isTest: boolean }> {
    if (!this.#drain.isAway) {
      try {
        return await within('The database', unsubscribeTimeoutMs, this.#unsubscribeNow(idSite, one));
      } catch (error) {
        this.#app.log.error({ err: error }, 'unsubscription goes to the spool');
      }
    }
    // It may have been done anyway: unsubscribing twice does no harm.
    await this.#write([{ idSite, pack: joinHits([]), unsubscriptions: [one] }]);
    return { isTest: false };
  }

  /** Undoes an unsubscription from the page. @returns false if it is too old, or there is none */
  async undoUnsubscription(
    idSite: number,
    one: { readonly idSent: number; readonly idSubscriber: number; readonly at: Date },
  ): Promise<boolean> {
    const db = await this.#app.siteById(idSite);
    return (
      db !== undefined && (await within('The database', unsubscribeTimeoutMs, undoUnsubscription(db, one)))
    );
  }

  async #unsubscribeNow(idSite: number, one: SpooledUnsubscription): Promise<{ isTest: boolean }> {
    const db = await this.#app.siteById(idSite);
    return db ? storeUnsubscription(db, one) : { isTest: false };
  }

  async #write(sites: readonly SiteFacts[]): Promise<void> {
    await this.#spool.append(sites);
    this.#drain.wake();
  }

  /** Resolves when everything recorded before is in the database. Rejects if it cannot be stored now. */
  async settle(): Promise<void> {
    await this.#batcher.idle();
    await this.#drain.settle();
  }

  /** Waits until all recorded hits are durable. Hits that the database does not store soon stay in the spool. */
  async close(): Promise<void> {
    await this.#batcher.idle();
    await this.#drain.close();
  }
}

function bySite(batch: readonly SiteHit[]): SiteFacts[] {
  const sites = new Map<number, PackedHit[]>();
  for (const { idSite, hit } of batch) keptIn(sites, idSite, () => []).push(hit);
  return [...sites].map(([idSite, hits]) => ({ idSite, pack: joinHits(hits), unsubscriptions: [] }));
}
