import type { HitPack } from '../activity/packed-hits.ts';
import type { UnsubscriptionOrigin } from '../activity/unsubscription-store.ts';

/** Somebody asked to be left alone, at a moment when the database was away. */
export interface SpooledUnsubscription {
  readonly at: Date;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly origin: UnsubscriptionOrigin;
}

/** What happened on one site, within one record. */
export interface SiteFacts {
  readonly idSite: number;
  readonly pack: HitPack;
  readonly unsubscriptions: readonly SpooledUnsubscription[];
}

/**
 * Facts that are made durable together. `source` and `number` tell whether the database has them already
 * (activity/hit-store.ts), so a record may be given as often as it takes.
 */
export interface SpoolRecord {
  /** UUID of the file that it was written to. */
  readonly source: string;
  /** Goes up within a source, from 1. */
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
  return {
    ...record,
    sites: record.sites.map((site) => ({
      ...site,
      unsubscriptions: site.unsubscriptions.map((one) => ({ ...one, at: new Date(one.at) })),
    })),
  };
}
