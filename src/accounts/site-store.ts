import { Connection, type Database, inTransaction, isDuplicate } from '../platform/db/database.ts';
import { migrateSite } from '../platform/db/migrate.ts';
import { isoTime, sql } from '../platform/db/sql.ts';
import { conflict, found } from '../platform/http/refusal.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createSftpAccount } from './sftp-account-store.ts';
import { type SiteShown, schemaOfNewSite } from './site.ts';

export async function listSites(control: Connection): Promise<SiteShown[]> {
  return control.rows(sql`
    select id, name, ${isoTime(sql`created_at`)} as "creationDate" from facteur.site order by name`);
}

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
        const id = await tx.value<number>(sql`
          insert into facteur.site (name, schema_name, created_at) values (${name}, ${schema}, ${at}) returning id`);
        await createSftpAccount(tx, secrets, { id, name });
        await migrateSite(client, { id, name, schema });
        return { id, name, creationDate: at.toISOString() };
      }),
    );
  } catch (error) {
    if (isDuplicate(error, 'site_name_key')) throw conflict(`A site named '${name}' already exists`);
    throw error;
  }
}
