import { createHash } from 'node:crypto';
import type { HitPack } from '../activity/packed-hits.ts';
import type { UnsubscriptionOrigin } from '../activity/unsubscription-store.ts';

/** Somebody asked to be left alone, at a moment when the database was unavailable. */
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

/**
 * A site's part of a record as a line to be kept apart: a source of its own, always the same one, so that the line
 * can be given once more, and once only, though later records of its own source were stored in the meantime.
 */
export function toLineApart({ source, number }: Omit<SpoolRecord, 'sites'>, facts: SiteFacts): string {
  const hash = createHash('sha256').update(`${source} ${number} ${facts.idSite}`).digest('hex');
  const apart = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return toLine({ source: apart, number: 1, sites: [facts] });
}

/**
 * The record of a line; undefined when it is none: the torn end of a write that was never acknowledged, or what
 * another caller, another version or a bad disk wrote.
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

/** Whether it has a record's members; what their values are worth the database says. */
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
