import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Attempt } from './import-store.ts';

/** The staging table of an attempt: one that lost its lock and still runs must not share it with the next. */
export const stageOf = (db: SiteDb, { idImport, number }: Attempt) =>
  db.name(`import_${idImport}_${number}_stage`);

/** A site's folder of undelivered error files: below `sftp`, for all workers, hidden from clients. */
export const errorsFolder = (dataDir: string, db: SiteDb) =>
  join(dataDir, 'sftp', '.import-errors', String(db.site.id));

/** The name of an attempt's file of rejected rows in that folder. */
export const errorsFileOf = ({ idImport, number }: Attempt) => `${idImport}-${number}.csv`;

/** Removes staging tables and files of rejected rows of killed or superseded attempts. */
export async function clearLeftovers(db: SiteDb, dataDir: string): Promise<void> {
  await clearStages(db);
  await clearErrorFiles(db, errorsFolder(dataDir, db));
}

/** Order: the folder first. Files made after that are not seen; the rows list those made before. */
async function clearErrorFiles(db: SiteDb, folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const left = await db.rows<{ name: string }>(sql`
    select name from unnest(${names}::text[]) name
    where not exists (select from ${db.t.import_log} where errors_file = name)
      and not exists (
        select from ${db.t.import} i where i.state = 'InProgress' and name = i.id || '-' || i.attempt || '.csv')`);
  for (const { name } of left) await rm(join(folder, name), { force: true });
}

async function clearStages(db: SiteDb): Promise<void> {
  const stages = await db.rows<{ name: string }>(sql`
    select tablename as name from pg_tables
    where schemaname = ${db.site.schema} and tablename ~ '^import_\\d+(_\\d+)?_stage$'
      and not exists (
        select from ${db.t.import} i
        where i.state = 'InProgress' and tablename = 'import_' || i.id || '_' || i.attempt || '_stage')`);
  for (const { name } of stages) await dropStage(db, name);
}

/** Lock: waits for those who still write to the table, a second at most; the next run retries. */
async function dropStage(db: SiteDb, name: string): Promise<void> {
  await db
    .transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '1s'`);
      await tx.run(sql`drop table if exists ${db.name(name)}`);
    })
    .catch((error: { code?: string }) => {
      if (error.code !== '55P03') throw error;
    });
}
