import type { Connection } from '../platform/db/database.ts';
import { conflict, found, invalid } from '../platform/http/refusal.ts';
import type { Secrets } from '../platform/secrets.ts';
import { fingerprintOf, lineOf, parsePublicKey } from '../platform/ssh-key.ts';
import {
  addPublicKey,
  maxPublicKeys,
  removePublicKey,
  type SftpAccount,
  sftpAccountOf,
} from './sftp-account-store.ts';
import { commentOf, type SftpPublicKey, showPublicKey } from './site.ts';

export const showSftpAccount = ({ login, password, publicKeys }: SftpAccount) => ({
  login,
  password,
  publicKeys: [...publicKeys],
});

/** The account of a site on the embedded SFTP server. @throws 404 when it has none. */
export async function accountOf(control: Connection, secrets: Secrets, idSite: number): Promise<SftpAccount> {
  return found(await sftpAccountOf(control, secrets, idSite), 'SFTP account');
}

/** Lets the key of an `authorized_keys` line sign in to a site. @throws 400 without a key, 409 for too many */
export async function allowPublicKey(
  control: Connection,
  idSite: number,
  line: string,
): Promise<SftpPublicKey> {
  const key = parsePublicKey(line);
  if (!key) throw invalid('publicKey: must be a line such as ssh-ed25519 AAAA… comment');
  const comment = commentOf(line, key);
  if (!(await addPublicKey(control, idSite, key, comment)))
    throw conflict(`The account already has ${maxPublicKeys} keys; remove one first`);
  return showPublicKey(`${lineOf(key)} ${comment}`.trim());
}

/** Ends the signing in with the key of a fingerprint. @throws 404 when the account has no such key. */
export async function forbidPublicKey(
  control: Connection,
  secrets: Secrets,
  idSite: number,
  fingerprint: string,
): Promise<void> {
  const { publicKeys } = await accountOf(control, secrets, idSite);
  const key = publicKeys.map(parsePublicKey).find((one) => one && fingerprintOf(one) === fingerprint);
  found(key && (await removePublicKey(control, idSite, key)), 'Public key');
}
