import type { Connection, Row } from '../platform/db/database.ts';
import { isoTime, join, sql } from '../platform/db/sql.ts';
import type { AuditEntry } from '../platform/http/audit.ts';
import {
  type AuditEntryPage,
  type AuditEntryShown,
  type AuditFilter,
  auditPage,
  cursorOf,
  placeOf,
} from './audit-entry.ts';

/** Writes entries in one statement. */
export async function insertAuditEntries(control: Connection, entries: readonly AuditEntry[]): Promise<void> {
  await control.run(sql`
    insert into facteur.audit_entry (at, id_user, id_token, id_site, operation, status, address, ids)
    select e.at, e."idUser", e."idToken", coalesce(e."idSite", s.id), e.operation, e.status, e.address, e.ids
    from rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        as (at timestamptz, "idUser" int, "idToken" int, "idSite" int, "siteName" text, operation text,
          status smallint, address text, ids jsonb)) with ordinality e
      left join facteur.site s on s.name = e."siteName"
    order by e.ordinality`);
}

/** A page of the log, newest first. @throws 400 for a `before` that is no cursor */
export async function auditEntries(control: Connection, filter: AuditFilter): Promise<AuditEntryPage> {
  const { idUser, idSite, operation, from, to } = filter;
  const before = filter.before === undefined ? undefined : placeOf(filter.before);
  const conditions = [
    sql`true`,
    ...(!idUser ? [] : [sql`e.id_user = ${idUser}`]),
    ...(idSite === undefined ? [] : [sql`e.id_site = ${idSite}`]),
    ...(operation === undefined ? [] : [sql`e.operation = ${operation}`]),
    ...(from === undefined ? [] : [sql`e.at >= ${from}`]),
    ...(to === undefined ? [] : [sql`e.at < ${to}`]),
    ...(before ? [sql`(e.at, e.id) < (${before.date}::timestamptz, ${before.id}::bigint)`] : []),
  ];
  const rows = await control.rows<AuditEntryShown>(sql`
    select e.id, ${isoTime(sql`e.at`)} as date, e.id_user as "idUser", u.name as "userName",
      e.id_token as "idToken", s.name as site, e.operation, e.status, e.address, e.ids
    from facteur.audit_entry e
      left join facteur.app_user u on u.id = e.id_user
      left join facteur.site s on s.id = e.id_site
    where ${join(conditions, ' and ')}
    order by e.at desc, e.id desc limit ${auditPage + 1}`);
  const entries = rows.slice(0, auditPage);
  return { entries, next: rows.length > auditPage ? cursorOf(entries.at(-1)!) : null };
}

/** A change of one record: when it was recorded, by which operation, and the name that its user has now. */
export interface RecordedChange {
  readonly at: Date;
  readonly operation: string;
  readonly userName: string | null;
}

/** How the entries of a record's changes are found. */
export interface ChangesOf {
  /** Operations whose entries have the record as `id`. */
  readonly byId?: readonly string[];
  /** Operations whose entries have the record by its name, for example `idCampaign`. */
  readonly byName?: readonly string[];
  /** Operations of the site, whose entries name no record, or need not. */
  readonly bySite?: readonly string[];
  readonly name?: string;
  readonly id?: number;
  /** The position of a segment: entries that have another one are left out. */
  readonly segmentPosition?: number;
}

/**
 * Successful changes of a record within a time, newest first. Reads the entries of the site in that time by index.
 * @param most changes that are returned
 */
export async function changesOfRecord(
  control: Connection,
  idSite: number,
  { byId = [], byName = [], bySite = [], name = '', id = 0, segmentPosition }: ChangesOf,
  { from, to, most }: { readonly from: Date; readonly to: Date; readonly most: number },
): Promise<RecordedChange[]> {
  const position = sql`coalesce(e.ids ->> 'segmentPosition', '') in ('', ${String(segmentPosition)})`;
  return control.rows<RecordedChange & Row>(sql`
    select e.at, e.operation, u.name as "userName"
    from facteur.audit_entry e left join facteur.app_user u on u.id = e.id_user
    where e.id_site = ${idSite} and e.at between ${from} and ${to} and e.status = 200
      and (e.operation = any(${bySite}::text[])
        or e.operation = any(${byId}::text[]) and e.ids ->> 'id' = ${String(id)}
        or e.operation = any(${byName}::text[]) and e.ids ->> ${name} = ${String(id)})
      and ${segmentPosition === undefined ? sql`true` : position}
    order by e.at desc, e.id desc limit ${most}`);
}

/** Deletes at most `most` entries from before an instant; returns how many. */
export async function deleteAuditEntries(control: Connection, before: Date, most: number): Promise<number> {
  return control.run(sql`
    delete from facteur.audit_entry where id in (
      select id from facteur.audit_entry where at < ${before} order by at limit ${most})`);
}
