import type { Hit } from '../activity/hit.ts';
import type { UnsubscriptionOrigin } from '../activity/unsubscription-store.ts';

/** Somebody asked to be left alone, at a moment when it could not be stored. */
export interface SpooledUnsubscription {
  readonly at: Date;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly origin: UnsubscriptionOrigin;
}

/** What happened on one site, within one record. */
export interface SiteFacts {
  readonly idSite: number;
  readonly hits: readonly Hit[];
  readonly unsubscriptions: readonly SpooledUnsubscription[];
}

/**
 * Facts that are made durable together. `source` and `number` tell whether the database has them already
 * (activity/hit-store.ts), so a record may be given as often as it takes.
 */
export interface SpoolRecord {
  /** UUID of a run of the process. */
  readonly source: string;
  /** Goes up within a source. */
  readonly number: number;
  readonly sites: readonly SiteFacts[];
}

/** One line of a spool file, with its line end. */
export function toLine(record: SpoolRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The record of a line, or undefined for the torn end of a write that was never acknowledged. */
export function fromLine(line: string): SpoolRecord | undefined {
  let record: SpoolRecord;
  try {
    // What stands in the file was written by toLine; only its end can be missing, and then it is no JSON.
    record = JSON.parse(line) as SpoolRecord;
  } catch {
    return undefined;
  }
  const withDate = <T extends { readonly at: Date }>(fact: T): T => ({ ...fact, at: new Date(fact.at) });
  return {
    ...record,
    sites: record.sites.map((site) => ({
      ...site,
      hits: site.hits.map(withDate),
      unsubscriptions: site.unsubscriptions.map(withDate),
    })),
  };
}
