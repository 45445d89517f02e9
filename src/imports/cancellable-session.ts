import type { App } from '../platform/app.ts';
import type { SiteDb, SiteSession } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** Runs work on its own connection, with memory to sort many rows; an abort of `signal` cancels its statement. */
export async function cancellableSession<T>(
  app: App,
  db: SiteDb,
  signal: AbortSignal,
  work: (session: SiteSession) => Promise<T>,
): Promise<T> {
  return db.session(async (session) => {
    signal.throwIfAborted();
    const pid = await session.db.value<number>(sql`select pg_backend_pid() as pid`);
    let cancelled: Promise<unknown> | undefined;
    const cancel = () => {
      cancelled = db
        .run(sql`select pg_cancel_backend(${pid})`)
        .catch((error: unknown) => app.log.warn({ err: error }, 'a statement could not be cancelled'));
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // Only now: it may have been aborted before there was a listener.
      signal.throwIfAborted();
      // Sorting and hashing a million keys in memory, not on the disk.
      await session.db.run(sql`set work_mem = '128MB'`);
      const result = await work(session);
      await session.db.run(sql`reset work_mem`);
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
      // The connection is another's afterwards.
      await cancelled;
    }
  });
}
