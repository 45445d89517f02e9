import type { Logger } from 'pino';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Attempt, setProgression, supersededImport } from './import-store.ts';

/** How often an attempt's progression is written, and how soon a pause is noticed. */
const beatMs = 500;

/** Reports an attempt's progress, and aborts it when superseded. It never makes the attempt wait for a connection. */
export class Heartbeat {
  readonly #db: SiteDb;
  readonly #attempt: Attempt;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #superseded = new AbortController();
  #percent = 0;
  #beating: Promise<void> | undefined;

  constructor(db: SiteDb, attempt: Attempt, log: Logger) {
    this.#db = db;
    this.#attempt = attempt;
    this.#log = log;
    this.#timer = setInterval(() => this.#beat(), beatMs);
  }

  /** Aborted, with `Superseded` as its reason, when the attempt is to end. */
  get signal(): AbortSignal {
    return this.#superseded.signal;
  }

  /** Takes note; written with the next beat. It only rises: the file is read again for the rows that were refused. */
  note(percent: number): void {
    this.#percent = Math.max(this.#percent, percent);
  }

  /** Takes note, and writes at once. */
  tell(percent: number): void {
    this.note(percent);
    this.#beat();
  }

  /** The last beat has ended when this resolves. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  #beat(): void {
    // One at a time: while the database is slow they would pile up.
    this.#beating ??= this.#write()
      .catch((error: unknown) => this.#log.debug({ err: error }, 'import progress not recorded'))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  async #write(): Promise<void> {
    const percent = this.#percent;
    if (await setProgression(this.#db, this.#attempt, percent)) {
      // Progress reported in the meantime must not wait for the next beat: a merge has few steps.
      if (this.#percent !== percent) await setProgression(this.#db, this.#attempt, this.#percent);
      return;
    }
    this.#superseded.abort(supersededImport(this.#attempt));
  }
}
