import { openRepository } from '../files/open-repository.ts';
import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { unavailable } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** How long a request waits for a repository that is open. */
const requestMs = 10_000;

/**
 * Opens a repository while `work` runs. When `signal` aborts, it is closed immediately, and pending requests of `work`
 * fail: a hanging server delays neither the pause of an import nor the program's end.
 * @throws like `openRepository`; the reason of `signal`
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

/** Requests of a site that have a repository open: the disk has four threads, deletions hold a connection of 20. */
export const filesLimits = { perOwner: 2, permits: 64, waiting: 40, patienceMs: requestMs };
const requestsOf = remembered((_: App) => new Semaphore('requests of files', filesLimits));

/**
 * Opens the site's default repository while `work` of a request runs, under one of the site's permits.
 * @param work should stop when its signal aborts
 * @throws like `openRepository`; 429 if too many requests of the site wait; 503 after ten seconds
 */
export async function withDefaultRepository<T>(
  app: App,
  db: SiteDb,
  work: (files: RepositoryFiles, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return requestsOf(app).run(async () => {
    const signal = AbortSignal.timeout(requestMs);
    try {
      return await withRepository(app, db, { idRepository: null, signal }, (files) => work(files, signal));
    } catch (error) {
      if (signal.aborted) throw unavailable('The SFTP server does not reply in time; try again in a moment');
      throw error;
    }
  }, db.site.schema);
}
