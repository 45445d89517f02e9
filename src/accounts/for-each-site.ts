import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { listSites } from './site-store.ts';

/** Runs `work` on every site in turn, until `signal` aborts. A failure is logged as `failure` and skips its site. */
export async function forEachSite(
  app: Pick<App, 'control' | 'siteById' | 'log'>,
  failure: string,
  work: (db: SiteDb) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (const { id, name } of await listSites(app.control)) {
    if (signal?.aborted) return;
    try {
      const db = await app.siteById(id);
      if (db) await work(db);
    } catch (err) {
      app.log.error({ err, idSite: id, site: name }, failure);
    }
  }
}
