import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound } from '../platform/http/refusal.ts';

/** The handle on the site that an administrator names. @throws 404 when there is none. */
export async function siteOf(app: App, name: string): Promise<SiteDb> {
  const db = await app.site(name);
  if (!db) throw notFound('Site');
  return db;
}
