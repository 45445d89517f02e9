import type { Logger } from 'pino';
import { Batcher } from '../platform/batcher.ts';
import type { Connection } from '../platform/db/database.ts';
import type { AuditEntry } from '../platform/http/audit.ts';
import { insertAuditEntries } from './audit-entry-store.ts';

const maxBatch = 500;
/** Entries that wait at most: about 3 MB. */
export const maxWaitingEntries = 10_000;

/**
 * Writes the audit log behind the requests of this process, one statement at a time with all that came in the meantime.
 * While the database is unavailable, and beyond what may wait, entries are dropped, and a line of the log counts them:
 * requests neither wait nor fail for the log. A kill loses what was not written, usually some milliseconds of entries.
 */
export class AuditWriter {
  readonly #batcher: Batcher<AuditEntry>;
  readonly #log: Logger;
  /** Entries above what may wait, since the last line. */
  #dropped = 0;

  constructor(control: Connection, log: Logger) {
    this.#log = log;
    this.#batcher = new Batcher((entries) => this.#write(control, entries), maxBatch);
  }

  /** Queues an entry; costs no I/O. */
  add(entry: AuditEntry): void {
    if (this.#batcher.waiting < maxWaitingEntries) this.#batcher.push(entry, () => undefined);
    else this.#dropped++;
  }

  /** Resolves when all queued entries are written or dropped. */
  async idle(): Promise<void> {
    await this.#batcher.idle();
  }

  async #write(control: Connection, entries: readonly AuditEntry[]): Promise<void> {
    let failure: { readonly code?: string; readonly message: string } | undefined;
    try {
      await insertAuditEntries(control, entries);
    } catch (error) {
      failure = error as Error;
      this.#dropped += entries.length;
    }
    if (this.#dropped === 0) return;
    const reason = failure ? (failure.code ?? failure.message) : 'too many wait';
    this.#log.warn({ dropped: this.#dropped, reason }, 'audit entries dropped');
    this.#dropped = 0;
  }
}
