import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** Returns the tables of the site of which `work` reads all rows, by PostgreSQL's own count. */
export async function scannedTables(db: SiteDb, work: (tx: SiteDb) => Promise<unknown>): Promise<string[]> {
  return db.transaction(async (tx) => {
    const counted = async () => {
      const rows = await tx.rows<{ name: string; scans: number }>(sql`
        select relname as name, seq_scan as scans from pg_stat_xact_user_tables
        where schemaname = ${tx.site.schema}`);
      return new Map(rows.map(({ name, scans }) => [name, scans]));
    };
    const before = await counted();
    await work(tx);
    const after = await counted();
    return [...after].flatMap(([name, scans]) => (scans > (before.get(name) ?? 0) ? [name] : [])).sort();
  });
}
