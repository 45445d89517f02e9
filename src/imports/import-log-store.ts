import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { inOrder } from '../platform/http/schema.ts';
import { ImportLog } from './import.ts';

/** What is kept of an ended run. */
export interface StoredLog {
  readonly state: 'Completed' | 'PackageErrorCreation';
  readonly log: ImportLog;
  readonly fileRead: string | null;
  readonly missedSince: Date | null;
}

type Row = Omit<StoredLog, 'log'> & { readonly id: number; readonly log: Omit<ImportLog, 'id'> };

const columns = sql`id, state, log, file_read as "fileRead", missed_since as "missedSince"`;
const stored = ({ id, log, ...rest }: Row): StoredLog => ({
  ...rest,
  log: inOrder(ImportLog, { id, ...log }),
});

/** A log of an import; without `idLog` its last one. */
export async function findLog(db: SiteDb, idImport: number, idLog?: number): Promise<StoredLog | undefined> {
  const which =
    idLog === undefined ? sql`id_import = ${idImport}` : sql`id_import = ${idImport} and id = ${idLog}`;
  const row = await db.first<Row>(sql`
    select ${columns} from ${db.t.import_log} where ${which} order by run desc limit 1`);
  return row && stored(row);
}

/** The logs of an import's runs, the last one first. */
export async function listLogs(
  db: SiteDb,
  idImport: number,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<{ totalCount: number; logs: StoredLog[] }> {
  const { nb } = await db.one<{ nb: number }>(
    sql`select count(*) as nb from ${db.t.import_log} where id_import = ${idImport}`,
  );
  const rows = await db.rows<Row>(sql`
    select ${columns} from ${db.t.import_log} where id_import = ${idImport}
    order by run desc offset ${start} limit ${limit}`);
  return { totalCount: nb, logs: rows.map(stored) };
}
