import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

/** Locks the default repository's files: shared by who comes to need one, alone by who deletes unneeded ones. */
export async function lockFiles(tx: SiteDb, use: 'need' | 'delete'): Promise<void> {
  await tx.run(advisoryLock(`files of ${tx.site.schema}`, use === 'need'));
}
