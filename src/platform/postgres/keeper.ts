import type { Logger } from 'pino';
import { withProcessLock } from '../process-lock.ts';
import { type Cluster, cutLog, isLogTooLong, livePostmaster } from './postmaster.ts';

/** How often we look whether the server lives, and how long its log is: reading two small files. */
const lookMs = 250;
/** After a start that failed. */
const retryMs = 5_000;

/** Restarts a server that ended without our stopping it, and limits its log. */
export class Keeper {
  readonly #lockName: string;
  readonly #cluster: Cluster;
  readonly #log: Logger;
  readonly #start: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(lockName: string, cluster: Cluster, log: Logger, start: () => Promise<void>) {
    this.#lockName = lockName;
    this.#cluster = cluster;
    this.#log = log;
    this.#start = start;
  }

  begin(afterMs = lookMs): void {
    this.#timer = setTimeout(() => {
      this.#starting = this.#look().then((isFine) => {
        if (this.#timer) this.begin(isFine ? lookMs : retryMs);
      });
    }, afterMs);
    this.#timer.unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#starting;
  }

  /** Whether there was nothing to do, or it was done. */
  async #look(): Promise<boolean> {
    if (livePostmaster(this.#cluster.data)) return this.#boundLog();
    try {
      await withProcessLock(this.#lockName, async () => {
        // Another process that shares the server may have been first.
        if (livePostmaster(this.#cluster.data)) return;
        this.#log.warn('PostgreSQL has ended; starting it again');
        await this.#start();
      });
      return true;
    } catch (error) {
      this.#log.error({ err: error }, 'PostgreSQL could not be started again');
      return false;
    }
  }

  /** Limits the log. Users who write expressions for PostgreSQL can make it print any amount. */
  async #boundLog(): Promise<boolean> {
    if (!isLogTooLong(this.#cluster)) return true;
    try {
      await withProcessLock(this.#lockName, async () => {
        // Another process that shares the server would keep the emptied file as the old one.
        if (isLogTooLong(this.#cluster)) cutLog(this.#cluster);
      });
      return true;
    } catch (error) {
      this.#log.error({ err: error }, "PostgreSQL's log could not be cut");
      return false;
    }
  }
}
