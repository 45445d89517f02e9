import { Connection, type Database, inTransaction, isDuplicate } from '../platform/db/database.ts';
import { migrateSite } from '../platform/db/migrate.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import { conflict, found } from '../platform/http/refusal.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createSftpAccount } from './sftp-account-store.ts';
import { type SiteSettings, type SiteShown, schemaOfNewSite } from './site.ts';

const columns = sql`id, name, typed_confirmation_from as "typedConfirmationFrom",
  ${isoTime(sql`created_at`)} as "creationDate"`;

export async function listSites(control: Connection): Promise<SiteShown[]> {
  return control.rows(sql`select ${columns} from facteur.site order by name`);
}

/** The site of a handle, with its settings. */
export async function getSite(db: SiteDb): Promise<SiteShown> {
  return db.one(sql`select ${columns} from facteur.site where id = ${db.site.id}`);
}

/** Replaces the settings of a site. */
export async function updateSite(db: SiteDb, settings: SiteSettings): Promise<SiteShown> {
  return db.transaction((tx) =>
    tx.one(sql`
      update facteur.site set typed_confirmation_from = ${settings.typedConfirmationFrom}
      where id = ${db.site.id} returning ${columns}`),
  );
}

export const versionOfSite = (db: SiteDb, isLocked: boolean) =>
  db.version(sql`from facteur.site where id = ${db.site.id}`, isLocked);

/** The site that a member of a body names. @throws Refusal 404 when no site has this name. */
export async function siteNamed(control: Connection, name: string, member: string): Promise<{ id: number }> {
  const site = await control.first<{ id: number }>(sql`select id from facteur.site where name = ${name}`);
  return found(site, 'Site', member);
}

/** Creates a site in one transaction: row, schema with all tables, SFTP account. @throws 409 if the name is taken */
export async function createSite(
  control: Database,
  secrets: Secrets,
  name: string,
  at: Date,
): Promise<SiteShown> {
  const schema = schemaOfNewSite(name);
  try {
    return await control.withClient((client) =>
      inTransaction(client, async () => {
        const tx = new Connection(client);
        const site = await tx.one<SiteShown>(sql`
          insert into facteur.site (name, schema_name, created_at) values (${name}, ${schema}, ${at})
          returning ${columns}`);
        await createSftpAccount(tx, secrets, site);
        await migrateSite(client, { id: site.id, name, schema });
        return site;
      }),
    );
  } catch (error) {
    if (isDuplicate(error, 'site_name_key')) throw conflict(`A site named '${name}' already exists`);
    throw error;
  }
}
