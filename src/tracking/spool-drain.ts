import { hitSourceDays } from '../activity/hit-store.ts';
import type { App } from '../platform/app.ts';
import type { Spool, SpoolFile } from './spool.ts';
import { readSpool } from './spool-reader.ts';
import type { SpoolRecord } from './spool-record.ts';
import { isAway, storeRecords } from './store-records.ts';

/** How long facts gather before they are stored: what a commit is shared by, and how late a figure may be. */
const gatherMs = 100;
/** A piece should be stored in this even by a busy database. */
const storeTimeoutMs = 30_000;
/** How often a database that is away is tried again. */
const retryMs = 500;
/** How often the file in use is touched, and the files of processes that are gone are looked for. */
const lookMs = 15_000;
/** A day before the database forgets which records of a file it has. */
const tellableDays = hitSourceDays - 1;
/** What is not stored this long after the end was asked for is left to the next start. */
const closeWithinMs = 5_000;

/** Carries the spool into the database, in its order and each record once, whatever is killed meanwhile. */
export class SpoolDrain {
  readonly #app: App;
  readonly #spool: Spool;
  /** Bytes of each file that are stored already. */
  readonly #stored = new Map<string, number>();
  readonly #loop: Promise<void>;
  /** Something was appended since the last pass began. */
  #isWoken = false;
  #isAway = false;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #stopWaiting: () => void = () => undefined;
  /** Passes, one after the other. */
  #last: Promise<void> = Promise.resolve();

  /** Begins with what earlier runs left. */
  constructor(app: App, spool: Spool) {
    this.#app = app;
    this.#spool = spool;
    this.#loop = this.#run();
  }

  /** Says that something was appended. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    if (!this.#isAway) this.#stopWaiting();
  }

  /** Resolves when what was appended before is stored. Rejects when it cannot be stored now. */
  settle(): Promise<void> {
    const pass = this.#last.then(() => this.#pass());
    this.#last = pass.catch(() => undefined);
    return pass;
  }

  /** Stores what can be stored soon; the rest stays in its files for the next start. */
  async close(): Promise<void> {
    this.#endsAtMs = performance.now() + closeWithinMs;
    this.#stopWaiting();
    await this.#loop;
    await this.#spool.finish();
    if (!this.#isAway) await this.#tryToSettle();
  }

  /** Whether the database was away when something was to be stored last. */
  get isAway(): boolean {
    return this.#isAway;
  }

  get #isClosing(): boolean {
    return this.#endsAtMs !== Number.POSITIVE_INFINITY;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#isWoken = false;
      await this.#tryToSettle();
      if (this.#isAway) await this.#wait(retryMs);
      else if (!this.#isWoken) await this.#wait(lookMs);
      if (this.#isWoken && !this.#isAway) await this.#wait(gatherMs);
    }
  }

  async #tryToSettle(): Promise<void> {
    try {
      await this.settle();
      if (this.#isAway) this.#app.log.info('hits can be stored again');
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) this.#app.log.error({ err: error }, 'hits cannot be stored; they stay in the spool');
      this.#isAway = true;
    }
  }

  #wait(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#stopWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #pass(): Promise<void> {
    await this.#spool.touch();
    for (const file of await this.#spool.readable()) {
      const path = await this.#claim(file.path);
      if (!path || !(await this.#store({ ...file, path })) || file.bytes !== Number.POSITIVE_INFINITY)
        continue;
      await this.#spool.remove(path);
      this.#stored.delete(path);
    }
  }

  /** The path of a file that is ours to store, or undefined. */
  async #claim(path: string): Promise<string | undefined> {
    const ours = await this.#spool.claim(path);
    if (!ours || !(await this.#spool.isOlderThan(ours, tellableDays))) return ours;
    const shelved = await this.#spool.shelve(ours);
    this.#app.log.error(
      { file: shelved },
      'a spool file is too old for the database to know what of it is stored: it was put by',
    );
    return undefined;
  }

  /** Whether all of the file is stored. */
  async #store(file: SpoolFile): Promise<boolean> {
    for await (const piece of readSpool(file, this.#stored.get(file.path) ?? 0)) {
      if (performance.now() > this.#endsAtMs) return false;
      await this.#storeRecords(piece.records);
      this.#stored.set(file.path, piece.end);
    }
    return true;
  }

  async #storeRecords(records: readonly SpoolRecord[]): Promise<void> {
    try {
      // Bounded, or a connection that died without a word would keep us from asking whether the database is back.
      await within(storeTimeoutMs, storeRecords(this.#app, records));
    } catch (error) {
      if (isAway(error)) throw error;
      const [record] = records;
      if (record && records.length === 1) {
        this.#app.log.error({ err: error }, 'a spooled record was refused by the database and set aside');
        await this.#spool.setAside(record);
      } else {
        for (const one of records) await this.#storeRecords([one]);
      }
    }
  }
}

/** The promise, or a rejection after some time; the work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
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
