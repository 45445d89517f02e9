import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound } from '../platform/http/refusal.ts';
import { LocalRepository } from './local-repository.ts';
import { RemoteRepository } from './remote-repository.ts';
import type { RepositoryFiles } from './repository.ts';
import { findRepository, pinHostKey } from './repository-store.ts';
import { siteFolderPath } from './sftp-server.ts';

/**
 * The files of a repository of the site; `null` is its default one, the folder of the embedded SFTP server. Close
 * it after use.
 * @throws 404 for an unknown repository, 503 when its server is away.
 */
export async function openRepository(
  app: App,
  db: SiteDb,
  idRepository: number | null,
): Promise<RepositoryFiles> {
  if (idRepository === null) return LocalRepository.open(siteFolderPath(app.config.dataDir, db.site.id));
  const found = await findRepository(db, app.secrets, idRepository);
  if (!found) throw notFound('Repository');
  return RemoteRepository.open(found, (hostKey) => pinHostKey(db, idRepository, hostKey));
}
