import { randomBytes } from 'node:crypto';
import type { Connection } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Secrets } from '../platform/secrets.ts';
import { lineOf, type SshPublicKey } from '../platform/ssh-key.ts';
import { fitsAccount, type LoginProof } from './sftp-login.ts';

/** The account of one site on the embedded SFTP server. */
export interface SftpAccount {
  readonly idSite: number;
  readonly siteName: string;
  readonly login: string;
  readonly password: string;
  /** OpenSSH public keys that may sign in instead of the password. */
  readonly publicKeys: readonly string[];
}

const purpose = 'sftp-account.password';

const decoys = new WeakMap<Secrets, Buffer>();

/** A password of nobody's, as they are kept. */
function sealedDecoy(secrets: Secrets): Buffer {
  const known = decoys.get(secrets) ?? secrets.encrypt(purpose, 'x'.repeat(24));
  decoys.set(secrets, known);
  return known;
}

interface StoredAccount extends Omit<SftpAccount, 'password'> {
  readonly sealed: Buffer;
}

interface LookedUp extends Pick<StoredAccount, 'sealed' | 'publicKeys'> {
  /** Null where no account has the login. */
  readonly idSite: number | null;
}

/**
 * The id of the site whose account a client of the SFTP server proves to be; undefined when it does not. A login that
 * does not exist takes as long as a wrong password: nobody learns which logins exist.
 */
export async function siteOfLogin(
  control: Connection,
  secrets: Secrets,
  login: string,
  proof: LoginProof,
): Promise<number | undefined> {
  // Any login gets a row with a password and keys to read and to decrypt: 13, 7 and 30 µs would reveal a login.
  const { idSite, sealed, publicKeys } = await control.one<LookedUp>(
    sql`select a.id_site as "idSite", coalesce(a.password, ${sealedDecoy(secrets)}) as sealed,
          coalesce(a.public_keys, '{}') as "publicKeys"
        from (values (${login}::text)) given (login) left join facteur.sftp_account a using (login)`,
  );
  const password = secrets.decrypt(purpose, sealed);
  const account = idSite === null ? undefined : { password, publicKeys };
  return fitsAccount(account, proof) && idSite !== null ? idSite : undefined;
}

export async function sftpAccountOf(
  control: Connection,
  secrets: Secrets,
  idSite: number,
): Promise<SftpAccount | undefined> {
  const row = await control.first<StoredAccount>(
    sql`select a.id_site as "idSite", s.name as "siteName", a.login, a.password as sealed, a.public_keys as "publicKeys"
      from facteur.sftp_account a join facteur.site s on s.id = a.id_site
      where a.id_site = ${idSite}`,
  );
  if (!row) return undefined;
  const { sealed, ...account } = row;
  return { ...account, password: secrets.decrypt(purpose, sealed) };
}

/** Gives a site an account with a new password; its login is the site's name. Nothing happens where there is one. */
export async function createSftpAccount(
  tx: Connection,
  secrets: Secrets,
  site: { readonly id: number; readonly name: string },
): Promise<void> {
  const sealed = secrets.encrypt(purpose, newPassword());
  await tx.run(sql`
    insert into facteur.sftp_account (id_site, login, password) values (${site.id}, ${site.name}, ${sealed})
    on conflict do nothing`);
}

const newPassword = () => randomBytes(18).toString('base64url');

/** Gives a site's account a new password; the old one no longer signs in. */
export async function renewPassword(control: Connection, secrets: Secrets, idSite: number): Promise<void> {
  await control.run(sql`
    update facteur.sftp_account set password = ${secrets.encrypt(purpose, newPassword())} where id_site = ${idSite}`);
}

export const maxPublicKeys = 50;

/** Lets a key sign in to a site's account; idempotent. @returns false if the account has `maxPublicKeys` others */
export async function addPublicKey(
  control: Connection,
  idSite: number,
  key: SshPublicKey,
  comment: string,
): Promise<boolean> {
  const line = comment === '' ? lineOf(key) : `${lineOf(key)} ${comment}`;
  // One statement, so that keys added concurrently neither exceed the limit nor are stored twice.
  await control.run(sql`
    update facteur.sftp_account set public_keys = public_keys || ${line}::text
    where id_site = ${idSite} and cardinality(public_keys) < ${maxPublicKeys} and not ${hasKey(key)}`);
  return control.has(sql`select from facteur.sftp_account where id_site = ${idSite} and ${hasKey(key)}`);
}

/** Ends the signing in with a key; whether the account had it. */
export async function removePublicKey(
  control: Connection,
  idSite: number,
  key: SshPublicKey,
): Promise<boolean> {
  return control.touches(sql`
    update facteur.sftp_account set public_keys = array(
      select line from unnest(public_keys) with ordinality as of (line, n)
      where split_part(line, ' ', 2) <> ${key.blob.toString('base64')} order by n)
    where id_site = ${idSite} and ${hasKey(key)}`);
}

const hasKey = ({ blob }: SshPublicKey): Sql =>
  sql`exists (select from unnest(public_keys) line where split_part(line, ' ', 2) = ${blob.toString('base64')})`;
