import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/** Longest reply that is kept, in characters. */
const maxReply = 500;

/** A reply for which a recipient was refused or expired. */
export interface FailureReply {
  /** Enhanced status code, '' when there is none. */
  readonly status: string;
  /** The relay's own words, with its reply code. */
  readonly reply: string;
}

/** A reply as `insertFailures` reads it from JSON: short names, because it travels with each commit. */
export function failureRow(idSubscriber: number, { status, reply }: FailureReply): object {
  // PostgreSQL keeps no NUL.
  return { i: idSubscriber, s: status, d: reply.replaceAll('\0', '').slice(0, maxReply) };
}

/**
 * Statement that records replies, as a part of the one that commits their outcomes. Recorded again, the first one
 * stays.
 * @param source a query of (id_sent int, failures jsonb), the latter a list of `failureRow`s or null
 */
export function insertFailures(t: SiteTables, source: Sql): Sql {
  return sql`
    insert into ${t.delivery_failure} (id_sent, id_subscriber, status, reply)
    select source.id_sent, f.i, f.s, f.d
    from (${source}) source, jsonb_to_recordset(source.failures) as f (i int, s text, d text)
    on conflict do nothing`;
}
