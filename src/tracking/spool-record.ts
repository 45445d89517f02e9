import { createHash } from 'node:crypto';
import type { HitPack } from '../activity/packed-hits.ts';
import type { UnsubscriptionOrigin } from '../activity/unsubscription-store.ts';

/** An unsubscription while the database was unavailable. */
export interface SpooledUnsubscription {
  readonly at: Date;
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly origin: UnsubscriptionOrigin;
}

/** The facts of one site in one record. */
export interface SiteFacts {
  readonly idSite: number;
  readonly pack: HitPack;
  readonly unsubscriptions: readonly SpooledUnsubscription[];
}

/**
 * Facts that are made durable together. By `source` and `number` the database knows whether it has them
 * (activity/hit-store.ts), so a record may be stored any number of times.
 */
export interface SpoolRecord {
  /** UUID of the file of the record. */
  readonly source: string;
  /** Counts up within a source, from 1. */
  readonly number: number;
  readonly sites: readonly SiteFacts[];
}

/** One line of a spool file, with its line end. */
export function toLine(record: SpoolRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * A site's part of a record as a separate line with its own, reproducible source. So the line can be stored later,
 * once, even though later records of its original source were stored.
 */
export function toLineApart({ source, number }: Omit<SpoolRecord, 'sites'>, facts: SiteFacts): string {
  const hash = createHash('sha256').update(`${source} ${number} ${facts.idSite}`).digest('hex');
  const apart = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return toLine({ source: apart, number: 1, sites: [facts] });
}

/**
 * The record of a line; undefined if it is not one: the incomplete end of a write that was never acknowledged, or a
 * line of another program, another version or a bad disk.
 */
export function fromLine(line: string): SpoolRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(record)) return undefined;
  return {
    ...record,
    sites: record.sites.map((site) => ({
      ...site,
      unsubscriptions: site.unsubscriptions.map((one) => ({ ...one, at: new Date(one.at) })),
    })),
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it has a record's properties; the database checks their values. */
function isRecord(value: unknown): value is SpoolRecord {
  const { source, number, sites } = Object(value) as Partial<SpoolRecord>;
  return (
    typeof source === 'string' &&
    uuid.test(source) &&
    Number.isSafeInteger(number) &&
    Array.isArray(sites) &&
    sites.every(isSiteFacts)
  );
}

function isSiteFacts(value: unknown): value is SiteFacts {
  const { idSite, pack, unsubscriptions } = Object(value) as Partial<SiteFacts>;
  return (
    Number.isSafeInteger(idSite) &&
    typeof pack?.hits === 'string' &&
    Number.isSafeInteger(pack.size) &&
    Array.isArray(unsubscriptions) &&
    unsubscriptions.every((one) => typeof one === 'object' && one !== null)
  );
}
