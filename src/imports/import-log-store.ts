import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { inOrder } from '../platform/http/schema.ts';
import { ImportLog } from './import.ts';
import { shownLog } from './import-store.ts';

export interface StoredLog {
  readonly run: number;
  readonly state: 'Completed' | 'PackageErrorCreation';
  readonly log: ImportLog;
  readonly fileRead: string | null;
  readonly missedSince: Date | null;
  readonly endedAt: Date;
  /** Repository of the imported file; null for the site's default repository. */
  readonly idRepository: number | null;
  /** The file of rejected rows, as long as it is to be delivered. */
  readonly errorsFile: string | null;
  readonly errorsLost: string | null;
}

type Row = Omit<StoredLog, 'log'> & { readonly id: number; readonly log: Omit<ImportLog, 'id'> };

const columns = sql`l.id, l.run, l.state, ${shownLog} as log, l.file_read as "fileRead",
  l.missed_since as "missedSince", l.ended_at as "endedAt", l.id_repository as "idRepository",
  l.errors_file as "errorsFile", l.errors_lost as "errorsLost"`;
const stored = ({ id, log, ...rest }: Row): StoredLog => ({
  ...rest,
  log: inOrder(ImportLog, { id, ...log }),
});

/** A log of an import; without `idLog` its last one. */
export async function findLog(db: SiteDb, idImport: number, idLog?: number): Promise<StoredLog | undefined> {
  const which =
    idLog === undefined ? sql`id_import = ${idImport}` : sql`id_import = ${idImport} and id = ${idLog}`;
  const row = await db.first<Row>(sql`
    select ${columns} from ${db.t.import_log} l where ${which} order by run desc limit 1`);
  return row && stored(row);
}

/** The logs of an import's runs, the last one first. */
export async function listLogs(
  db: SiteDb,
  idImport: number,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<{ totalCount: number; logs: StoredLog[] }> {
  const nb = await db.value<number>(
    sql`select count(*) as nb from ${db.t.import_log} where id_import = ${idImport}`,
  );
  const rows = await db.rows<Row>(sql`
    select ${columns} from ${db.t.import_log} l where id_import = ${idImport}
    order by run desc offset ${start} limit ${limit}`);
  return { totalCount: nb, logs: rows.map(stored) };
}

/** Whether a later run rejected rows of a file of this name; then its error file counts. */
export async function isErrorFileOutdated(db: SiteDb, { log, idRepository }: StoredLog): Promise<boolean> {
  return db.has(sql`
    select from ${db.t.import_log} l
    where l.id > ${log.id} and l.log ->> 'filename' = ${log.filename} and l.log ->> 'badFormattedRowNumbers' <> ''
      and l.id_repository is not distinct from ${idRepository}::int limit 1`);
}

/** Notes that the file of rejected rows is delivered, or why it is given up; changes nothing if that is settled. */
export async function settleErrorFile(db: SiteDb, idLog: number, lost: string | null): Promise<void> {
  await db.run(sql`
    update ${db.t.import_log} set errors_file = null, errors_lost = ${lost}
    where id = ${idLog} and errors_file is not null`);
}
