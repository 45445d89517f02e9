import { createHash, timingSafeEqual } from 'node:crypto';
import { findSftpAccount } from '../accounts/sftp-account-store.ts';
import type { App } from '../platform/app.ts';
import { type Authenticate, isSameKey } from './sftp-server.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Lets the sites' accounts in, by their password or one of their public keys. */
export function sftpAuthenticator({ control, secrets }: Pick<App, 'control' | 'secrets'>): Authenticate {
  return async (login, proof) => {
    // PostgreSQL cannot look for a NUL.
    const account = login.includes('\0') ? undefined : await findSftpAccount(control, secrets, login);
    if (proof.kind === 'key') {
      return account?.publicKeys.some((line) => isSameKey(line, proof.key)) ? account.idSite : undefined;
    }
    // Compared as digests, in the same time for every login and password.
    const fits = timingSafeEqual(digest(account?.password ?? ''), digest(proof.password));
    return account && fits ? account.idSite : undefined;
  };
}
