import { openRepository } from '../files/open-repository.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

/**
 * Opens a repository for as long as `work` runs. When `signal` aborts it is closed at once, and what `work` waits for
 * there fails: a server that hangs keeps nobody from pausing an import, or the program from ending.
 * @throws as `openRepository`; the reason of `signal`.
 */
export async function withRepository<T>(
  app: App,
  db: SiteDb,
  { idRepository, signal }: { readonly idRepository: number | null; readonly signal: AbortSignal },
  work: (files: RepositoryFiles) => Promise<T>,
): Promise<T> {
  const files = await openRepository(app, db, idRepository);
  const close = () => {
    files.close().catch((error: unknown) => app.log.debug({ err: error }, 'repository not closed'));
  };
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    return await work(files);
  } finally {
    signal.removeEventListener('abort', close);
    await files.close();
  }
}
