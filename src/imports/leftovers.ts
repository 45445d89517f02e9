import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Attempt } from './import-store.ts';

/** The staging table of an attempt: one that lost its lock and still runs must not share it with the next. */
export const stageOf = (db: SiteDb, { idImport, number }: Attempt) =>
  db.name(`import_${idImport}_${number}_stage`);

/**
 * Takes away the staging tables of attempts that were killed, or do not count any more. What they had on the disk had
 * no name there and ended with them (files/spool.ts).
 */
export async function clearLeftovers(db: SiteDb): Promise<void> {
  const stages = await db.rows<{ name: string }>(sql`
    select tablename as name from pg_tables
    where schemaname = ${db.site.schema} and tablename ~ '^import_\\d+(_\\d+)?_stage$'
      and not exists (
        select from ${db.t.import} i
        where i.state = 'InProgress' and tablename = 'import_' || i.id || '_' || i.attempt || '_stage')`);
  for (const { name } of stages) await dropStage(db, name);
}

/** Lock: waits for those who still write to the table, a second at most; the next run tries again. */
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
