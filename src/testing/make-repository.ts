import { newSshKey } from '../files/host-key.ts';
import { insertRepository, type NewRepository } from '../files/repository-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Secrets } from '../platform/secrets.ts';

/** Stores an external repository of a site, by default on a server that does not exist; returns its id. */
export async function makeRepository(
  db: SiteDb,
  secrets: Secrets,
  of: Partial<NewRepository> = {},
): Promise<number> {
  const account = { host: 'sftp.example', port: 22, subfolder: '', login: 'us', password: 'secret' };
  const hostKey = newSshKey().public.trim();
  return (await insertRepository(db, secrets, { ...account, privateKey: null, hostKey, ...of })).id;
}
