import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Repository } from './repository.ts';

const purpose = 'repository.password';

/** The repository with its password in plain, for connecting only; undefined when there is none of that id. */
export async function findRepository(
  db: SiteDb,
  secrets: Secrets,
  id: number,
): Promise<Repository | undefined> {
  const row = await db.first<
    Omit<Repository, 'password' | 'hostKey'> & { sealed: Buffer; hostKey: string | null }
  >(sql`
    select id, host, port, subfolder, login, password as sealed, host_key as "hostKey"
    from ${db.t.repository} where id = ${id}`);
  if (!row) return undefined;
  const { sealed, hostKey, ...rest } = row;
  return { ...rest, password: secrets.decrypt(purpose, sealed), hostKey: hostKey ?? undefined };
}

export interface NewRepository {
  readonly host: string;
  readonly port: number;
  readonly subfolder: string;
  readonly login: string;
  readonly password: string;
}

/** Adds a repository; its id. The password is kept encrypted. */
export async function addRepository(db: SiteDb, secrets: Secrets, of: NewRepository): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`
    insert into ${db.t.repository} (host, port, subfolder, login, password)
    values (${of.host}, ${of.port}, ${of.subfolder}, ${of.login}, ${secrets.encrypt(purpose, of.password)})
    returning id`);
  return id;
}

/** Keeps the key that a server showed at the first connection; a key that is kept already stays. */
export async function pinHostKey(db: SiteDb, id: number, hostKey: string): Promise<void> {
  await db.run(
    sql`update ${db.t.repository} set host_key = ${hostKey} where id = ${id} and host_key is null`,
  );
}
