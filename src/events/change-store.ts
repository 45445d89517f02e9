import { sentCounts } from '../activity/counter-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

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

/** A moment in the database, for readings of what is new since. */
export interface Mark {
  /**
   * Every change that a later reading finds new was written by a transaction with this number or a larger one: those
   * with smaller ones have ended and are seen by every reading from now on.
   */
  readonly cursor: number;
  /** The newest record of each kind. */
  readonly newest: Readonly<Record<Change['event'], number>>;
}

export async function readMark(db: SiteDb): Promise<Mark> {
  const { t } = db;
  const { cursor, ...newest } = await db.one<{ cursor: number } & Mark['newest']>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as cursor,
      (select coalesce(max(id), 0) from ${t.job}) as job,
      (select coalesce(max(id), 0) from ${t.import}) as import,
      (select coalesce(max(id), 0) from ${t.export_job}) as export`);
  return { cursor, newest };
}

/** The records that a reading returns beside the open ones. */
export type Scope =
  /** All records that were written since a cursor; undefined: none. Reads all jobs, imports and exports of the site. */
  | { readonly since: number | undefined }
  /** Only records that were open at the last reading, or are newer than its mark. Reads by index. */
  | { readonly known: readonly Change[]; readonly newest: Mark['newest'] };

/** Messages of a job, as an earlier reading has them. */
export interface Counted {
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
}

/**
 * Reads the jobs, imports and exports that are open, and others in scope.
 * @param countedOf returns the messages of a job that neither sends nor was written since they were counted; otherwise
 *   undefined, and they are counted
 */
export async function readChanges(
  db: SiteDb,
  scope: Scope,
  countedOf: (change: Change) => Counted | undefined = () => undefined,
): Promise<Change[]> {
  const { t } = db;
  const jobs = await changed(db, 'job', scope, {
    table: t.job,
    isOpen: sql`state in ('Programmed', 'Generating', 'Sending', 'Paused')`,
    columns: sql`id as "idJob", id_campaign as "idCampaign", is_test as "isTest", state,
      scheduled_at as "scheduledDate", started_at as "startDate", ended_at as "endDate", error_info as "errorInfo"`,
  });
  const imports = await changed(db, 'import', scope, {
    table: t.import,
    isOpen: sql`state in ('Scheduled', 'InProgress', 'Paused') and not is_deleted`,
    columns: sql`id as "idImport", state, is_deleted as "isDeleted", progression, started_at as "startDate"`,
  });
  const exports = await changed(db, 'export', scope, {
    table: t.export_job,
    isOpen: sql`state in ('SCHEDULED', 'RUNNING')`,
    columns: sql`id as "idExportJob", state as "exportJobState", nb_lines as "nbLines",
      started_at as "lastExecutionStartDate", ended_at as "lastExecutionEndDate"`,
  });
  return [...(await withCounts(db, jobs, countedOf)), ...imports, ...exports];
}

async function withCounts(
  db: SiteDb,
  jobs: readonly Change[],
  countedOf: (change: Change) => Counted | undefined,
): Promise<Change[]> {
  const known = new Map(jobs.map((job) => [job.id, countedOf(job)]));
  const toCount = [...known].filter(([, counted]) => !counted).map(([id]) => id);
  const sents =
    toCount.length === 0
      ? []
      : await db.rows<{ id: number; idJob: number; toSend: number }>(sql`
          select id, id_job as "idJob", nb_address_to_send as "toSend"
          from ${db.t.sent} where id_job = any(${toCount}::int[])`);
  const counts = await sentCounts(
    db,
    sents.map(({ id }) => id),
  );
  return jobs.map((job) => {
    const own = sents.filter(({ idJob }) => idJob === job.id);
    const { nbAddressToSend, nbAddressSent } = known.get(job.id) ?? {
      nbAddressToSend: own.reduce((sum, { toSend }) => sum + toSend, 0),
      nbAddressSent: own.reduce((sum, sent) => sum + (counts.get(sent.id) ?? 0), 0),
    };
    return { ...job, data: { ...job.data, nbAddressToSend, nbAddressSent } };
  });
}

/** The number of the transaction that wrote a row, beyond the 32 bits that the row keeps of it. */
const version = sql`
  (select next - ((next - xmin::text::bigint) & 4294967295)
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next) as counter)`;

type Row = Pick<Change, 'id' | 'isOpen' | 'version'> & Record<string, unknown>;

/** Where the records of a kind are. The condition is that of the index of open ones, word for word. */
interface Records {
  readonly table: Sql;
  readonly isOpen: Sql;
  readonly columns: Sql;
}

/** The records that are open, and the newest of the others that are in scope. */
async function changed(
  db: SiteDb,
  event: Change['event'],
  scope: Scope,
  records: Records,
): Promise<Change[]> {
  const { table, isOpen, columns } = records;
  const all = sql`id, (${isOpen}) as "isOpen", ${version} as version, ${columns} from ${table}`;
  const idsKnown =
    'known' in scope
      ? scope.known.filter((one) => one.event === event && one.isOpen).map(({ id }) => id)
      : [];
  const others =
    'known' in scope
      ? sql`
        select ${all} where id = any(${idsKnown}::int[]) and not (${isOpen})
        union all
        select ${all} where id > ${scope.newest[event]}::int and id <> all(${idsKnown}::int[]) and not (${isOpen})`
      : sql`
        select * from (select ${all} where not (${isOpen})) ended
        where version >= ${scope.since ?? null}::bigint`;
  const rows = await db.rows<Row>(sql`
    select ${all} where ${isOpen}
    union all
    (select * from (${others}) other order by id desc limit ${maxEnded}::int)
    order by id`);
  return rows.map(({ id, isOpen: open, version: written, ...data }) => ({
    event,
    id,
    isOpen: open,
    version: written,
    data,
  }));
}
