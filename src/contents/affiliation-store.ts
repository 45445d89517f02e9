import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import type { Affiliation, AffiliationChange } from './affiliation.ts';

export const affiliationColumns: Sql = sql`id, name, web_site as "webSite"`;

export async function findAffiliation(db: SiteDb, id: number): Promise<Affiliation | undefined> {
  return db.first<Affiliation>(sql`
    select ${affiliationColumns} from ${db.t.affiliation} where id = ${id}`);
}

export async function insertAffiliation(
  db: SiteDb,
  { name, webSite }: Omit<Affiliation, 'id'>,
): Promise<Affiliation> {
  return db.one<Affiliation>(sql`
    insert into ${db.t.affiliation} (name, web_site) values (${name}, ${webSite})
    returning ${affiliationColumns}`);
}

/** Changes the given properties of an affiliation platform. @throws 404 */
export async function updateAffiliation(db: SiteDb, { id, name, webSite }: AffiliationChange): Promise<void> {
  const touched = await db.run(sql`
    update ${db.t.affiliation}
    set name = coalesce(${name ?? null}, name), web_site = coalesce(${webSite ?? null}, web_site)
    where id = ${id}`);
  if (touched === 0) throw notFound('Affiliation');
}
