import { randomBytes } from 'node:crypto';
import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Secrets } from '../platform/secrets.ts';

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

interface StoredAccount extends Omit<SftpAccount, 'password'> {
  readonly sealed: Buffer;
  readonly [column: string]: unknown;
}

const columns = sql`a.id_site as "idSite", s.name as "siteName", a.login, a.password as sealed,
  a.public_keys as "publicKeys"`;

function opened(secrets: Secrets, row: StoredAccount | undefined): SftpAccount | undefined {
  if (!row) return undefined;
  const { sealed, ...account } = row;
  return { ...account, password: secrets.decrypt(purpose, sealed) };
}

/** The account that signs in with `login`. */
export async function findSftpAccount(
  control: Connection,
  secrets: Secrets,
  login: string,
): Promise<SftpAccount | undefined> {
  const row = await control.first<StoredAccount>(
    sql`select ${columns} from sftp_account a join site s on s.id = a.id_site where a.login = ${login}`,
  );
  return opened(secrets, row);
}

export async function sftpAccountOf(
  control: Connection,
  secrets: Secrets,
  idSite: number,
): Promise<SftpAccount | undefined> {
  const row = await control.first<StoredAccount>(
    sql`select ${columns} from sftp_account a join site s on s.id = a.id_site where a.id_site = ${idSite}`,
  );
  return opened(secrets, row);
}

/** Gives a site an account with a new password; its login is the site's name. Nothing happens where there is one. */
export async function createSftpAccount(
  tx: Connection,
  secrets: Secrets,
  site: { readonly id: number; readonly name: string },
): Promise<void> {
  const sealed = secrets.encrypt(purpose, randomBytes(18).toString('base64url'));
  await tx.run(sql`
    insert into sftp_account (id_site, login, password) values (${site.id}, ${site.name}, ${sealed})
    on conflict do nothing`);
}
