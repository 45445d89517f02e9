import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';
import {
  type Import,
  type ImportListItem,
  type ImportLog,
  type ImportParameters,
  type ImportState,
  idOfState,
  importStates,
  noCounters,
} from './import.ts';

interface StoredImport {
  readonly id: number;
  readonly parameters: ImportParameters;
  readonly createdAt: Date;
  readonly state: ImportState;
  readonly isDeleted: boolean;
  readonly deletedAt: Date | null;
  readonly scheduledAt: Date;
  readonly lastLog: ImportLog | null;
  readonly [column: string]: unknown;
}

const columns = sql`id, parameters, created_at as "createdAt", state, is_deleted as "isDeleted",
  deleted_at as "deletedAt", scheduled_at as "scheduledAt", last_log as "lastLog"`;

function shown(row: StoredImport): Import {
  return {
    id: row.id,
    parameters: row.parameters,
    creationDate: row.createdAt.toISOString(),
    importState: row.state,
    isDeleted: row.isDeleted,
    deletionDate: row.deletedAt?.toISOString() ?? null,
    schedulingInfos: { scheduledDate: row.scheduledAt.toISOString() },
    lastImportLog: row.lastLog,
  };
}

export async function findImport(db: SiteDb, id: number): Promise<Import | undefined> {
  const row = await db.first<StoredImport>(sql`select ${columns} from ${db.t.import} where id = ${id}`);
  return row && shown(row);
}

export interface NewImport {
  readonly idUser: number;
  readonly author: string;
  readonly parameters: ImportParameters;
  readonly scheduledAt: Date;
  readonly at: Date;
}

export async function insertImport(tx: SiteDb, of: NewImport): Promise<Import> {
  const row = await tx.one<StoredImport>(sql`
    insert into ${tx.t.import} (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
    values (${of.idUser}, ${of.author}, ${JSON.stringify(of.parameters)}, ${of.at}, 'Scheduled', '{}',
            ${of.scheduledAt})
    returning ${columns}`);
  return shown(row);
}

/** Moves an import that has not ended to InProgress; false when it has ended, or there is none. */
export async function startImport(db: SiteDb, id: number): Promise<boolean> {
  const started = await db.run(sql`
    update ${db.t.import} set state = 'InProgress', progression = 0
    where id = ${id} and state in ('Scheduled', 'InProgress')`);
  return started > 0;
}

/** Tells how far a run is, in per cent. */
export async function setProgression(db: SiteDb, id: number, percent: number): Promise<void> {
  await db.run(sql`
    update ${db.t.import} set progression = ${percent} where id = ${id} and state = 'InProgress'`);
}

/**
 * Writes the log and the final state; in the transaction of the merge, so that both or neither are there.
 * @param fileRead what `fileVersion` says of the file that was imported
 * @throws Error when the import has ended already: a second run, which lost its lock, must not commit
 */
export async function endImport(
  tx: SiteDb,
  id: number,
  state: ImportState,
  log: ImportLog,
  fileRead: string | null = null,
): Promise<void> {
  const ended = await tx.run(sql`
    update ${tx.t.import}
    set state = ${state}, progression = 100, last_log = ${JSON.stringify(log)}, file_read = ${fileRead}
    where id = ${id} and state in ('Scheduled', 'InProgress')`);
  if (ended === 0) throw new Error(`Import ${id} has ended already`);
}

/** The version of the file that the import's last run read, or null. */
export async function fileReadBy(db: SiteDb, id: number): Promise<string | null> {
  const row = await db.first<{ fileRead: string | null }>(sql`
    select file_read as "fileRead" from ${db.t.import} where id = ${id}`);
  return row?.fileRead ?? null;
}

export const importSortings = ['ID', 'IdImportState', 'ImportState', 'Author'] as const;

interface Page {
  readonly sortBy: (typeof importSortings)[number];
  readonly order: 'ASC' | 'DESC';
  readonly start: number;
  readonly limit: number;
}

const sortings = {
  ID: sql`i.id`,
  IdImportState: sql`array_position(${[...importStates]}::text[], i.state)`,
  ImportState: sql`i.state`,
  Author: sql`facteur.fold(i.author)`,
};

/** Imports that are scheduled for, or have ended, after `since`. */
export async function listImports(
  db: SiteDb,
  since: Date,
  { sortBy, order, start, limit }: Page,
): Promise<{ totalCount: number; items: ImportListItem[] }> {
  const recent = sql`
    not i.is_deleted and (i.scheduled_at >= ${since} or (i.last_log->>'endDate')::timestamptz >= ${since})`;
  const { nb } = await db.one<{ nb: number }>(
    sql`select count(*) as nb from ${db.t.import} i where ${recent}`,
  );
  // The id makes the order total, so that no import is on two pages or on none.
  const rows = await db.rows<StoredImport & { author: string; progression: number }>(sql`
    select ${columns}, author, progression from ${db.t.import} i where ${recent}
    order by ${sortings[sortBy]} ${raw(order)}, i.id ${raw(order)} offset ${start} limit ${limit}`);
  return { totalCount: nb, items: rows.map(itemOf) };
}

function itemOf(row: StoredImport & { author: string; progression: number }): ImportListItem {
  const empty = { ...noCounters(), startDate: null, endDate: null };
  return {
    id: row.id,
    filename: row.parameters.filename,
    author: row.author,
    scheduledDate: row.scheduledAt.toISOString(),
    idImportState: idOfState(row.state),
    importState: row.state,
    progression: `${row.progression} %`,
    ...(row.lastLog ? listed(row.lastLog) : empty),
  };
}

/** What the list shows of a log. */
function listed({
  id: _id,
  filename: _name,
  errorMessage: _error,
  badFormattedRowNumbers: _rows,
  ...rest
}: ImportLog) {
  return rest;
}
