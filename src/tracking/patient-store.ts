import type { App } from '../platform/app.ts';
import type { Quarantine } from './quarantine.ts';
import { toLineApart } from './spool-record.ts';
import { type Failure, type SitePart, storeParts, whyFailed } from './store-records.ts';

/** Interval of attempts for a site in trouble. */
const againMs = 15_000;
/** Time after which a failing site's hits are quarantined, so that its files do not fill the disk for all sites. */
const patienceMs = 86_400_000;

/** The database as a whole stores nothing now. */
export class DatabaseAway extends Error {}

/** A site that cannot store its hits now. */
interface Trouble {
  readonly sinceMs: number;
  readonly againAtMs: number;
}

/**
 * Stores parts of the spool. Sites that cannot store theirs now are retried for a day. Hits that a site will never
 * store are quarantined.
 */
export class PatientStore {
  readonly #app: App;
  readonly #aside: Quarantine;
  readonly #troubled = new Map<number, Trouble>();

  constructor(app: App, aside: Quarantine) {
    this.#app = app;
    this.#aside = aside;
  }

  /** Whether the site must not be attempted yet. */
  isTroubled(idSite: number): boolean {
    return performance.now() < (this.#troubled.get(idSite)?.againAtMs ?? 0);
  }

  /** Makes every site due for the next attempt. */
  tryAllAgain(): void {
    for (const [idSite, one] of this.#troubled) this.#troubled.set(idSite, { ...one, againAtMs: 0 });
  }

  /**
   * Stores parts and returns the sites that cannot store theirs now; everything else is stored or quarantined. @throws
   * DatabaseAway
   */
  async store(parts: readonly SitePart[]): Promise<Set<number>> {
    const failures = await storeParts(this.#app, parts);
    const away = failures.find((one) => whyFailed(one.error) === 'away');
    if (away) throw new DatabaseAway('The database is unavailable', { cause: away.error });
    const troubled = new Set<number>();
    for (const failure of failures) {
      if (!(await this.#isPutAside(failure))) troubled.add(failure.part.idSite);
    }
    const failed = new Set(failures.map((failure) => failure.part.idSite));
    for (const { idSite } of parts) if (!failed.has(idSite)) this.#troubled.delete(idSite);
    return troubled;
  }

  /** Quarantines what the database will never store, and stores the rest; false if the site must be retried. */
  async #isPutAside({ part, error }: Failure): Promise<boolean> {
    const why = whyFailed(error);
    const { idSite, facts } = part;
    if (why === 'refused' && facts.length > 1) {
      for (const one of facts) {
        const troubled = await this.store([{ ...part, facts: [one] }]);
        if (troubled.size > 0) return false;
      }
      return true;
    }
    if (why === 'later' && this.#mayWait(idSite)) {
      this.#app.log.warn({ err: error, idSite }, 'site cannot store its hits now');
      return false;
    }
    const lines = facts.map((one) => toLineApart({ ...part, number: one.number }, one));
    await this.#aside.keepLines(lines, 'spooled hits were refused by the database', { err: error, idSite });
    return true;
  }

  /** Notes that a site is in trouble; false if it has been for too long. */
  #mayWait(idSite: number): boolean {
    const now = performance.now();
    const { sinceMs } = this.#troubled.get(idSite) ?? { sinceMs: now };
    this.#troubled.set(idSite, { sinceMs, againAtMs: now + againMs });
    return now - sinceMs < patienceMs;
  }
}
