import type { Hit } from '../activity/hit.ts';
import { joinHits, type PackedHit, packHit } from '../activity/packed-hits.ts';
import type { App } from '../platform/app.ts';
import { Batcher, type Done } from '../platform/batcher.ts';
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

/** Hits of one record; what gathers beyond it goes with the next. */
const maxBatch = 2_000;
/** Hits that may wait to be written, a few hundred bytes each; beyond it the caller answers 503. */
const maxWaiting = 20_000;
/** A database that does not unsubscribe within this is taken to be away. */
const unsubscribeTimeoutMs = 3_000;

/** A disk that does not answer within this is taken to take nothing. */
const lookTimeoutMs = 2_000;

export interface RecorderState {
  /** Why hits cannot be made durable now: `full`, or the system's code; undefined when they can. */
  readonly trouble: string | undefined;
  readonly aside: QuarantineState;
}

/** Too many hits wait; retry in a moment. */
export class Overloaded extends Error {}

/**
 * Makes hits durable before they are answered: they go to the spool, one synced write at a time, which carries what
 * gathered since the last one, and from there to the database a moment later, many in a commit. So an answer never
 * waits for the database, and it may be away. Nothing is stored twice: see activity/hit-store.ts for the turns of a
 * source.
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

  /** Whether hits can be made durable now, and what waits for an operator. */
  async state(): Promise<RecorderState> {
    const trouble = await within('The disk', lookTimeoutMs, this.#spool.trouble()).catch(() => 'no answer');
    return { trouble, aside: await this.#aside.state() };
  }

  /** Resolves when the hit is durable. Rejects when it could not be made so. */
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
    if (this.#batcher.waiting >= maxWaiting) done(new Overloaded('Too many hits wait to be written'));
    else this.#batcher.push({ idSite, hit: packHit(hit) }, done);
  }

  /**
   * Unsubscribes a reader; resolves when that is in the database or, when it is unavailable, in the spool.
   * @returns whether the link was known to be one of a test mailing, which unsubscribes nobody
   */
  async unsubscribe(idSite: number, one: SpooledUnsubscription): Promise<{ isTest: boolean }> {
    if (!this.#drain.isAway) {
      try {
        return await within('The database', unsubscribeTimeoutMs, this.#unsubscribeNow(idSite, one));
      } catch (error) {
        this.#app.log.error({ err: error }, 'an unsubscription goes to the spool');
      }
    }
    // It may have been done all the same: unsubscribing twice does no harm.
    await this.#write([{ idSite, pack: joinHits([]), unsubscriptions: [one] }]);
    return { isTest: false };
  }

  /** Takes an unsubscription of the page back. @returns false when it is too old, or there is none */
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

  /** Resolves when what was recorded before is in the database. Rejects when it cannot be stored now. */
  async settle(): Promise<void> {
    await this.#batcher.idle();
    await this.#drain.settle();
  }

  /** Lets what waits become durable; what the database does not take soon stays in the spool for the next start. */
  async close(): Promise<void> {
    await this.#batcher.idle();
    await this.#drain.close();
  }
}

function bySite(batch: readonly SiteHit[]): SiteFacts[] {
  const sites = new Map<number, PackedHit[]>();
  for (const { idSite, hit } of batch) {
    const hits = sites.get(idSite);
    if (hits) hits.push(hit);
    else sites.set(idSite, [hit]);
  }
  return [...sites].map(([idSite, hits]) => ({ idSite, pack: joinHits(hits), unsubscriptions: [] }));
}
