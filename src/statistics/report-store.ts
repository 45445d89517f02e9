import { createHash, randomUUID } from 'node:crypto';
import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { refused } from '../platform/http/refusal.ts';
import type { ReportFigures } from './report-figures.ts';

/** The only way to find a report. */
const hashOf = (guid: string): Buffer => createHash('sha256').update(guid).digest();

/**
 * Maximum number of a site's reports that have not expired: each contains a message, and anyone who may read can
 * generate more.
 */
const mostReports = 1_000;

/** Checks that a site may store another report. @throws 422 */
export async function checkReportRoom(control: Connection, idSite: number, at: Date): Promise<void> {
  const n = await control.value<number>(sql`
    select count(*)::int as n from facteur.report where id_site = ${idSite} and expires_at > ${at}`);
  if (n >= mostReports)
    throw refused(
      `The site has ${mostReports} reports; the oldest expires within 30 days, then one more fits`,
    );
}

/** Stores a report until it expires. @returns its GUID, which is not stored in plain form */
export async function keepReport(
  control: Connection,
  idSite: number,
  { figures, message }: { readonly figures: ReportFigures; readonly message: string | undefined },
): Promise<string> {
  const guid = randomUUID();
  await control.run(sql`
    insert into facteur.report (guid_hash, id_site, figures, message, expires_at)
    values (${hashOf(guid)}, ${idSite}, ${JSON.stringify(figures)}::jsonb, ${message ?? null}, ${figures.expiresAt})`);
  return guid;
}

/** The figures of a report and whether it has a click map; undefined for an unknown or expired one. */
export async function findReport(
  control: Connection,
  guid: string,
  at: Date,
): Promise<{ readonly figures: ReportFigures; readonly hasMap: boolean } | undefined> {
  return control.first<{ figures: ReportFigures; hasMap: boolean }>(sql`
    select figures, message is not null as "hasMap" from facteur.report
    where guid_hash = ${hashOf(guid)} and expires_at > ${at}`);
}

export async function findClickMap(control: Connection, guid: string, at: Date): Promise<string | undefined> {
  const row = await control.first<{ message: string | null }>(sql`
    select message from facteur.report where guid_hash = ${hashOf(guid)} and expires_at > ${at}`);
  return row?.message ?? undefined;
}

export async function forgetExpired(control: Connection, at: Date): Promise<void> {
  await control.run(sql`delete from facteur.report where expires_at <= ${at}`);
}
