import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

const sendingChannel = 'facteur_sending';
/** Notifications within this time count as one: a poll takes some milliseconds. */
const gatherMs = 20;

/** Notifies the engines of all processes, when the transaction commits, that there may be work. */
export async function wakeEngines(tx: SiteDb): Promise<void> {
  await tx.run(sql`select pg_notify(${sendingChannel}, '')`);
}

/**
 * Listens on its own connection and calls `wake` at each notification, until the signal aborts. A lost notification
 * only costs the time until the next poll, so a failed connection is replaced silently.
 */
export async function listenForJobs(control: Database, wake: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(control, wake, signal).catch(() => undefined);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function listenOnce(control: Database, wake: () => void, signal: AbortSignal): Promise<void> {
  const client = await control.pool.connect();
  let gathering: NodeJS.Timeout | undefined;
  const gathered = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      wake();
    }, gatherMs);
  };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  try {
    client.once('end', end).once('error', end).on('notification', gathered);
    signal.addEventListener('abort', end, { once: true });
    // The signal may have aborted before this connection existed; no event reports that.
    if (signal.aborted) end();
    await client.query(`listen ${sendingChannel}`);
    wake();
    await ended;
  } finally {
    signal.removeEventListener('abort', end);
    client.off('end', end).off('error', end).off('notification', gathered);
    clearTimeout(gathering);
    // Closed, not reused: a listening session must not return to the pool.
    client.release(true);
  }
}
