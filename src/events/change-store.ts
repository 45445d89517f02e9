import { sentCounts } from '../activity/counter-store.ts';
import { openStates } from '../imports/import-state.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { liveStates } from '../sending/job.ts';

/** The present state of a job, an import or an export. */
export interface Change {
  readonly event: 'job' | 'import' | 'export';
  readonly id: number;
  /** Whether it has not ended yet. */
  readonly isOpen: boolean;
  /** Number of the transaction that wrote its row. */
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Maximum number of ended records of each kind, for clients that connect again after months. */
const maxEnded = 1_000;

/**
 * A number of the database. Every change that a later reading finds new was written by a transaction with this number
 * or a larger one: those with smaller ones have ended and are seen by every reading from now on.
 */
export async function changeCursor(db: SiteDb): Promise<number> {
  const row = await db.one<{ cursor: number }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as cursor`,
  );
  return row.cursor;
}

/**
 * Reads the jobs, imports and exports that are open, and those that were written since a cursor. There is no index for
 * it: the time grows with the jobs, imports and exports of the site.
 * @param since undefined: only those that are open
 */
export async function readChanges(db: SiteDb, since: number | undefined): Promise<Change[]> {
  const { t } = db;
  const jobs = await changed(
    db,
    'job',
    since,
    sql`
    select id, id as "idJob", id_campaign as "idCampaign", is_test as "isTest", state, scheduled_at as "scheduledDate",
      started_at as "startDate", ended_at as "endDate", error_info as "errorInfo",
      state = any(${liveStates}::text[]) as "isOpen", ${version} as version
    from ${t.job}`,
  );
  const sents = await db.rows<{ id: number; idJob: number; toSend: number }>(sql`
    select id, id_job as "idJob", nb_address_to_send as "toSend"
    from ${t.sent} where id_job = any(${jobs.map(({ id }) => id)}::int[])`);
  const counts = await sentCounts(
    db,
    sents.map(({ id }) => id),
  );
  for (const { id, data } of jobs) {
    const own = sents.filter(({ idJob }) => idJob === id);
    data.nbAddressToSend = own.reduce((sum, { toSend }) => sum + toSend, 0);
    data.nbAddressSent = own.reduce((sum, sent) => sum + (counts.get(sent.id) ?? 0), 0);
  }
  const imports = await changed(
    db,
    'import',
    since,
    sql`
    select id, id as "idImport", state, is_deleted as "isDeleted", progression, started_at as "startDate",
      state = any(${openStates}::text[]) and not is_deleted as "isOpen", ${version} as version
    from ${t.import}`,
  );
  const exports = await changed(
    db,
    'export',
    since,
    sql`
    select id, id as "idExportJob", state as "exportJobState", nb_lines as "nbLines",
      started_at as "lastExecutionStartDate", ended_at as "lastExecutionEndDate",
      state in ('SCHEDULED', 'RUNNING') as "isOpen", ${version} as version
    from ${t.export_job}`,
  );
  return [...jobs, ...imports, ...exports];
}

/** The number of the transaction that wrote a row, beyond the 32 bits that the row keeps of it. */
const version = sql`
  (select next - ((next - xmin::text::bigint) & 4294967295)
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) as counter)`;

type Row = Pick<Change, 'id' | 'isOpen' | 'version'> & Record<string, unknown>;

/** The records that are open, and the newest of the others that were written since. */
async function changed(db: SiteDb, event: Change['event'], since: number | undefined, records: Sql) {
  const rows = await db.rows<Row>(sql`
    with read as materialized (${records})
    select * from read where "isOpen"
    union all
    (select * from read where not "isOpen" and version >= ${since ?? null}::bigint
      order by id desc limit ${maxEnded}::int)
    order by id`);
  return rows.map(({ id, isOpen, version: written, ...data }) => ({
    event,
    id,
    isOpen,
    version: written,
    data,
  }));
}
