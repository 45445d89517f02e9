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
  return [
    ...(await changedJobs(db, since)),
    ...(await changedImports(db, since)),
    ...(await changedExports(db, since)),
  ];
}

type Row<Data> = Data & { id: number; isOpen: boolean; version: number };

async function changedJobs(db: SiteDb, since: number | undefined): Promise<Change[]> {
  const rows = await db.rows<
    Row<{ startedAt: Date | null; endedAt: Date | null; scheduledAt: Date; sents: Record<string, number> }>
  >(sql`
    select j.*, (select coalesce(jsonb_object_agg(s.id, s.nb_address_to_send), '{}')
      from ${db.t.sent} s where s.id_job = j.id) as sents
    from (${written(
      sql`
        select id, id_campaign as "idCampaign", is_test as "isTest", state, scheduled_at as "scheduledAt",
          started_at as "startedAt", ended_at as "endedAt", error_info as "errorInfo",
          state = any(${liveStates}::text[]) as "isOpen", ${version} as version
        from ${db.t.job}`,
      since,
    )}) j`);
  const idsSent = rows.flatMap(({ sents }) => Object.keys(sents).map(Number));
  const counts = await sentCounts(db, idsSent);
  return rows.map(({ id, isOpen, version: written, sents, scheduledAt, startedAt, endedAt, ...job }) => ({
    ...{ event: 'job', id, isOpen, version: written },
    data: {
      idJob: id,
      ...job,
      ...{ scheduledDate: scheduledAt, startDate: startedAt, endDate: endedAt },
      nbAddressToSend: Object.values(sents).reduce((sum, n) => sum + n, 0),
      nbAddressSent: Object.keys(sents).reduce((sum, idSent) => sum + (counts.get(Number(idSent)) ?? 0), 0),
    },
  }));
}

async function changedImports(db: SiteDb, since: number | undefined): Promise<Change[]> {
  const rows = await db.rows<Row<object>>(
    written(
      sql`
        select id, state, is_deleted as "isDeleted", progression, started_at as "startDate",
          state = any(${openStates}::text[]) and not is_deleted as "isOpen", ${version} as version
        from ${db.t.import}`,
      since,
    ),
  );
  return rows.map(({ id, isOpen, version: written, ...data }) => ({
    ...{ event: 'import', id, isOpen, version: written },
    data: { idImport: id, ...data },
  }));
}

async function changedExports(db: SiteDb, since: number | undefined): Promise<Change[]> {
  const rows = await db.rows<Row<object>>(
    written(
      sql`
        select id, state as "exportJobState", nb_lines as "nbLines", started_at as "lastExecutionStartDate",
          ended_at as "lastExecutionEndDate", state in ('SCHEDULED', 'RUNNING') as "isOpen", ${version} as version
        from ${db.t.export_job}`,
      since,
    ),
  );
  return rows.map(({ id, isOpen, version: written, ...data }) => ({
    ...{ event: 'export', id, isOpen, version: written },
    data: { idExportJob: id, ...data },
  }));
}

/** The number of the transaction that wrote a row, beyond the 32 bits that the row keeps of it. */
const version = sql`
  (select next - ((next - xmin::text::bigint) & 4294967295)
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) as counter)`;

/** The rows that are open, and the newest of the others that were written since. */
function written(rows: Sql, since: number | undefined): Sql {
  return sql`
    with read as materialized (${rows})
    select * from read where "isOpen"
    union all
    (select * from read where not "isOpen" and version >= ${since ?? null}::bigint
      order by id desc limit ${maxEnded}::int)
    order by id`;
}
