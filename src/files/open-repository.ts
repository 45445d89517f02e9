import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { egressAddress } from '../platform/egress.ts';
import { found } from '../platform/http/refusal.ts';
import { quotaOf } from './folder-quota.ts';
import { LocalRepository } from './local-repository.ts';
import { RemoteRepository } from './remote-repository.ts';
import { embeddedRepository, type RepositoryFiles } from './repository.ts';
import { defaultRepository, findRepository } from './repository-store.ts';
import { connectPinned } from './sftp-connection.ts';
import { siteFolderPath } from './sftp-server.ts';

/**
 * Opens a repository of the site; `null` is its default one, `embeddedRepository` its folder on the embedded SFTP
 * server. Close it after use.
 * @throws 404 for an unknown repository, 422 if its host is internal, 503 if its server is unavailable or shows another
 * key than the pinned one
 */
export async function openRepository(
  app: App,
  db: SiteDb,
  idRepository: number | null,
): Promise<RepositoryFiles> {
  const id = idRepository ?? (await defaultRepository(db));
  if (id === embeddedRepository) {
    const path = siteFolderPath(app.config.dataDir, db.site.id);
    return LocalRepository.open(path, quotaOf(path, app.config.sftpQuotaBytes));
  }
  const of = found(await findRepository(db, app.secrets, id), 'Repository');
  const address = await egressAddress(of.host, app.config.privateNetworks);
  return new RemoteRepository(await connectPinned(of, address), of.subfolder);
}
