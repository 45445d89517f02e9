import type pg from 'pg';
import { foldActivity } from '../activity/fold-store.ts';
import { openDatabase } from '../platform/db/database.ts';
import { siteFinder } from '../platform/db/sites.ts';

/**
 * Folds the site `demo` again and again until it is killed; says a line for each fold that found something.
 * Run by `node --import tsx src/testing/fold-process.ts <connection as JSON>`.
 */
async function foldForEver(connection: pg.PoolConfig): Promise<never> {
  const db = await siteFinder(openDatabase(connection, () => undefined)).site('demo');
  for (;;) {
    const { hits, receipts } = await foldActivity(db!);
    if (hits + receipts > 0) process.stdout.write(`${hits} ${receipts}\n`);
  }
}

await foldForEver(JSON.parse(process.argv[2] ?? '') as pg.PoolConfig);
