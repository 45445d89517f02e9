import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { inOrder } from '../platform/http/schema.ts';
import type { Secrets } from '../platform/secrets.ts';
import { fingerprintOf, parsePublicKey } from '../platform/ssh-key.ts';
import { embeddedRepository, type Repository, RepositoryShown } from './repository.ts';

const passwordPurpose = 'repository.password';
const privateKeyPurpose = 'repository.private-key';

interface StoredRepository extends Omit<Repository, 'password' | 'privateKey'> {
  readonly sealedPassword: Buffer | null;
  readonly sealedKey: Buffer | null;
  readonly version: string;
}

// `xmin` is the transaction that wrote the row last.
const columns = sql`id, host, port, subfolder, login, password as "sealedPassword", private_key as "sealedKey",
  host_key as "hostKey", is_default as "isDefault", xmin::text as version`;

function opened(secrets: Secrets, row: StoredRepository): KeptRepository {
  const { sealedPassword, sealedKey, ...rest } = row;
  return {
    ...rest,
    password: sealedPassword && secrets.decrypt(passwordPurpose, sealedPassword),
    privateKey: sealedKey && secrets.decrypt(privateKeyPurpose, sealedKey),
  };
}

const sealed = (secrets: Secrets, { password, privateKey }: NewRepository) => ({
  password: password === null ? null : secrets.encrypt(passwordPurpose, password),
  privateKey: privateKey === null ? null : secrets.encrypt(privateKeyPurpose, privateKey),
});

function shown({ sealedPassword, sealedKey, version: _, ...row }: StoredRepository): RepositoryShown {
  const key = parsePublicKey(row.hostKey);
  if (!key) throw new Error(`Repository ${row.id} has a host key that cannot be read`);
  return inOrder(RepositoryShown, {
    ...row,
    hasPassword: sealedPassword !== null,
    hasPrivateKey: sealedKey !== null,
    hostKeyFingerprint: fingerprintOf(key),
  });
}

/** A repository as it was read; another version means that its row was written since. */
export interface KeptRepository extends Repository {
  readonly version: string;
}

/** The values that `insertRepository` and `replaceRepository` write; the server has shown the key. */
export type NewRepository = Omit<Repository, 'id' | 'isDefault'>;

/** The external repositories of the site, by id, without their secrets. */
export async function listRepositories(db: SiteDb): Promise<RepositoryShown[]> {
  const rows = await db.rows<StoredRepository>(sql`
    select ${columns} from ${db.t.repository} where deleted_at is null order by id`);
  return rows.map(shown);
}

/** Returns a repository with plain secrets. @param evenDeleted includes deleted ones, without secrets */
export async function findRepository(
  db: SiteDb,
  secrets: Secrets,
  id: number,
  { evenDeleted = false } = {},
): Promise<KeptRepository | undefined> {
  const row = await db.first<StoredRepository>(sql`
    select ${columns} from ${db.t.repository} where id = ${id} and (deleted_at is null or ${evenDeleted})`);
  return row && opened(secrets, row);
}

/** Returns the id of the site's default repository. */
export async function defaultRepository(db: SiteDb): Promise<number> {
  const row = await db.first<{ id: number }>(sql`select id from ${db.t.repository} where is_default`);
  return row?.id ?? embeddedRepository;
}

/** Adds a repository. Its secrets are kept encrypted. */
export async function insertRepository(
  db: SiteDb,
  secrets: Secrets,
  of: NewRepository,
): Promise<RepositoryShown> {
  const { password, privateKey } = sealed(secrets, of);
  const row = await db.one<StoredRepository>(sql`
    insert into ${db.t.repository} (host, port, subfolder, login, password, private_key, host_key)
    values (${of.host}, ${of.port}, ${of.subfolder}, ${of.login}, ${password}, ${privateKey}, ${of.hostKey})
    returning ${columns}`);
  return shown(row);
}

/** Replaces a repository except `isDefault`; undefined if it was changed since `of` was read. */
export async function replaceRepository(
  db: SiteDb,
  secrets: Secrets,
  { id, version }: Pick<KeptRepository, 'id' | 'version'>,
  of: NewRepository,
): Promise<RepositoryShown | undefined> {
  const { password, privateKey } = sealed(secrets, of);
  const row = await db.first<StoredRepository>(sql`
    update ${db.t.repository} set host = ${of.host}, port = ${of.port}, subfolder = ${of.subfolder},
      login = ${of.login}, password = ${password}, private_key = ${privateKey}, host_key = ${of.hostKey}
    where id = ${id} and deleted_at is null and xmin::text = ${version}
    returning ${columns}`);
  return row && shown(row);
}

/** Deletes a repository and its secrets; the row stays for exports. @returns what prevented it */
export async function deleteRepository(
  db: SiteDb,
  id: number,
  at: Date,
): Promise<'deleted' | 'unknown' | 'default'> {
  const deleted = await db.run(sql`
    update ${db.t.repository} set deleted_at = ${at}, password = null, private_key = null
    where id = ${id} and deleted_at is null and not is_default`);
  if (deleted > 0) return 'deleted';
  return (await defaultRepository(db)) === id ? 'default' : 'unknown';
}

/** Makes a repository the site's default, or with `embeddedRepository` none; whether there is one of that id. */
export async function setDefaultRepository(db: SiteDb, id: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Lock: concurrent choices take turns, and a concurrent deletion waits or is seen.
    const rows = await tx.rows<{ id: number }>(sql`
      select id from ${tx.t.repository} where deleted_at is null order by id for update`);
    if (id !== embeddedRepository && !rows.some((row) => row.id === id)) return false;
    // The old one first: the index allows no two of them at any moment.
    await tx.run(sql`update ${tx.t.repository} set is_default = false where is_default and id <> ${id}`);
    await tx.run(sql`update ${tx.t.repository} set is_default = true where id = ${id} and not is_default`);
    return true;
  });
}
