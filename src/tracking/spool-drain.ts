import { hitSourceDays } from '../activity/hit-store.ts';
import type { App } from '../platform/app.ts';
import { keptIn } from '../platform/remembered.ts';
import { within } from '../platform/within.ts';
import type { HitSpool, SpoolFile } from './hit-spool.ts';
import { DatabaseAway, PatientStore } from './patient-store.ts';
import type { Quarantine } from './quarantine.ts';
import { readSpool, type SpoolPiece, UnreadableSpool } from './spool-reader.ts';
import { partsOf } from './store-records.ts';

/** Time that facts gather before they are stored: they share a commit, and figures are this late. */
const gatherMs = 100;
/** Interval of attempts while the database is unavailable. */
const retryMs = 500;
/** Interval of looking for files of processes that have exited. */
const lookMs = 15_000;
const touchMs = 10_000;
/** Age limit of files: a day before the database forgets which records of a file it has. */
const tellableDays = hitSourceDays - 1;
/** Time limit of the last pass; later facts stay in the spool for the next start. */
const closeWithinMs = 5_000;

interface Progress {
  /** Bytes whose records are stored, except those of sites that are behind. */
  end: number;
  readonly behind: Set<number>;
  /** Start of the records that sites that are behind may lack. */
  behindFrom: number;
}

/**
 * Stores the spool in the database, in its order and each record once, whatever is killed in the meantime. A site that
 * cannot store its hits now falls behind, and the others continue; the file is kept for it and read again.
 */
export class SpoolDrain {
  readonly #app: App;
  readonly #spool: HitSpool;
  readonly #progress = new Map<string, Progress>();
  readonly #store: PatientStore;
  readonly #aside: Quarantine;
  #touchAtMs = 0;
  readonly #loop: Promise<void>;
  /** Whether something was appended since the last pass started. */
  #isWoken = false;
  #isAway = false;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #stopWaiting: () => void = () => undefined;
  #last: Promise<void> = Promise.resolve();

  /** Starts with what earlier runs left. */
  constructor(app: App, spool: HitSpool, aside: Quarantine) {
    this.#app = app;
    this.#spool = spool;
    this.#aside = aside;
    this.#store = new PatientStore(app, aside);
    this.#loop = this.#run();
  }

  /** Reports that something was appended. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    if (!this.#isAway) this.#stopWaiting();
  }

  /** Resolves when everything appended before is stored. Rejects if it cannot be stored now. */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      this.#store.tryAllAgain();
      await this.#pass();
      const behind = [...this.#progress.values()].flatMap((one) => [...one.behind]);
      if (behind.length > 0) throw new Error(`Sites cannot store their hits now: ${[...new Set(behind)]}`);
    });
  }

  /** Stores what can be stored soon; the rest stays in its files for the next start. */
  async close(): Promise<void> {
    this.#endsAtMs = performance.now() + closeWithinMs;
    this.#stopWaiting();
    // A hanging statement is not waited for: it is stored or not, and the next start finds out.
    await within('The spool', closeWithinMs, this.#finish()).catch((error) =>
      this.#app.log.warn({ err: error }, 'hits stay in the spool for the next start'),
    );
  }

  async #finish(): Promise<void> {
    await this.#loop;
    await this.#spool.finish();
    if (!this.#isAway) await this.#tryToPass();
  }

  /** Whether the database was unavailable at the last attempt. */
  get isAway(): boolean {
    return this.#isAway;
  }

  get #isClosing(): boolean {
    return this.#endsAtMs !== Number.POSITIVE_INFINITY;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#isWoken = false;
      await this.#tryToPass();
      if (this.#isAway) await this.#wait(retryMs);
      else if (!this.#isWoken) await this.#wait(lookMs);
      if (this.#isWoken && !this.#isAway) await this.#wait(gatherMs);
    }
  }

  async #tryToPass(): Promise<void> {
    try {
      await this.#inTurn(() => this.#pass());
      if (this.#isAway) this.#app.log.info('hits can be stored again');
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) this.#app.log.error({ err: error }, 'hits cannot be stored; they stay in the spool');
      this.#isAway = true;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const pass = this.#last.then(work);
    this.#last = pass.catch(() => undefined);
    return pass;
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
    await this.#touch();
    const files = await this.#spool.readable();
    const paths = new Set(files.map((file) => file.path));
    for (const path of this.#progress.keys()) if (!paths.has(path)) this.#progress.delete(path);
    let firstError: unknown;
    for (const file of files) {
      if (performance.now() > this.#endsAtMs) return;
      try {
        const path = await this.#claim(file.path);
        if (path) await this.#storeFile({ ...file, path });
      } catch (error) {
        // A file that cannot be read must not block the others.
        if (error instanceof DatabaseAway) throw error;
        firstError ??= error;
      }
    }
    if (firstError !== undefined) throw firstError;
  }

  /** Touches our files at an interval, even during a long pass; otherwise another process would take them over. */
  async #touch(): Promise<void> {
    const now = performance.now();
    if (now < this.#touchAtMs) return;
    this.#touchAtMs = now + touchMs;
    await this.#spool.touch();
  }

  /** Claims a file for this process and returns its path; undefined if it cannot be stored. */
  async #claim(path: string): Promise<string | undefined> {
    const ours = await this.#spool.claim(path);
    if (!ours || !(await this.#spool.isOlderThan(ours, tellableDays))) return ours;
    await this.#aside.keepFile(ours, 'is too old for the database to know what of it is stored');
    return undefined;
  }

  async #storeFile(file: SpoolFile): Promise<void> {
    const start = (): Progress => ({ end: 0, behind: new Set(), behindFrom: 0 });
    const progress = keptIn(this.#progress, file.path, start);
    try {
      await this.#catchUp(file, progress);
      if (!(await this.#goOn(file, progress))) return;
    } catch (error) {
      if (!(error instanceof UnreadableSpool)) throw error;
      return this.#aside.keepFile(file.path, 'cannot be read to its end');
    }
    if (file.bytes === Number.POSITIVE_INFINITY && progress.behind.size === 0) {
      await this.#spool.remove(file.path);
      this.#progress.delete(file.path);
    }
  }

  /** Stores records again for the sites that are behind; those that they already have are not stored again. */
  async #catchUp(file: SpoolFile, { end, behind, behindFrom }: Progress): Promise<void> {
    const due = new Set([...behind].filter((idSite) => !this.#store.isTroubled(idSite)));
    if (due.size === 0) return;
    for await (const piece of readSpool({ path: file.path, bytes: end }, behindFrom)) {
      if (performance.now() > this.#endsAtMs) return;
      const parts = partsOf(piece.records).filter((part) => due.has(part.idSite));
      for (const idSite of await this.#store.store(parts)) due.delete(idSite);
      if (due.size === 0) return;
    }
    for (const idSite of due) behind.delete(idSite);
  }

  /** Stores the rest of a file; returns whether it came to the end. */
  async #goOn(file: SpoolFile, progress: Progress): Promise<boolean> {
    for await (const piece of readSpool(file, progress.end)) {
      if (performance.now() > this.#endsAtMs) return false;
      await this.#storePiece(piece, progress);
      await this.#touch();
    }
    return true;
  }

  async #storePiece(piece: SpoolPiece, progress: Progress): Promise<void> {
    const { behind } = progress;
    const isOneBehind = behind.size > 0;
    const parts = partsOf(piece.records).filter((part) => !behind.has(part.idSite));
    const later = parts.filter((part) => this.#store.isTroubled(part.idSite));
    const now = parts.filter((part) => !later.includes(part));
    for (const idSite of await this.#store.store(now)) behind.add(idSite);
    for (const { idSite } of later) behind.add(idSite);
    if (!isOneBehind) progress.behindFrom = progress.end;
    if (piece.others.length > 0)
      await this.#aside.keepLines(piece.others, 'lines of a spool file are not records');
    progress.end = piece.end;
  }
}
