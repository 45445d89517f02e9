import type { SiteDb } from '../platform/db/site-db.ts';
import { siteFinder } from '../platform/db/sites.ts';
import { cloneDatabase } from './database.ts';

export interface TestSite {
  readonly db: SiteDb;
  close(): Promise<void>;
}

/** The site `demo` of a database of the test file's own, for tests of stores that need no program around them. */
export async function testSite(): Promise<TestSite> {
  const cloned = await cloneDatabase();
  const db = (await siteFinder(cloned.database).site('demo'))!;
  return { db, close: () => cloned.close() };
}
