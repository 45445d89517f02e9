import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

/**
 * Lock: of the files of a site's default repository, until the transaction ends. A transaction that makes something
 * need a file shares it; one that deletes a file unless it is needed has it alone, from the check to the deletion.
 */
export async function lockFiles(tx: SiteDb, use: 'need' | 'delete'): Promise<void> {
  await tx.run(advisoryLock(`files of ${tx.site.schema}`, use === 'need'));
}
