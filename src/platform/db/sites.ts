import { LRUCache } from 'lru-cache';
import type { Connection, Database } from './database.ts';
import { type Site, SiteDb } from './site-db.ts';
import { sql } from './sql.ts';

/** Finds a site's handle by name or id. Found sites are cached, because they are never renamed; others are not. */
export function siteFinder(control: Database) {
  const byName = new LRUCache<string, SiteDb>({ max: 10_000 });
  const byId = new LRUCache<number, SiteDb>({ max: 10_000 });

  async function find(where: ReturnType<typeof sql>): Promise<SiteDb | undefined> {
    const row = await control.first<Site>(
      sql`select id, name, schema_name as "schema" from facteur.site where ${where}`,
    );
    if (!row) return undefined;
    const db = new SiteDb(control, row);
    byName.set(row.name, db);
    byId.set(row.id, db);
    return db;
  }

  return {
    async site(name: string): Promise<SiteDb | undefined> {
      // A name that cannot be a site's never reaches the database.
      if (!/^[a-z0-9][a-z0-9-]{1,30}$/.test(name)) return undefined;
      return byName.get(name) ?? find(sql`name = ${name}`);
    },
    async siteById(id: number): Promise<SiteDb | undefined> {
      return byId.get(id) ?? find(sql`id = ${id}`);
    },
  };
}

/** Whether the installation has at least one site. */
export async function hasSites(control: Connection): Promise<boolean> {
  return control.has(sql`select from facteur.site limit 1`);
}
