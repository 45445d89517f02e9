import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

const sendingChannel = 'facteur_sending';
/** Notices that come within this time are one: a look at all work takes some milliseconds. */
const gatherMs = 20;

/** Reports the engines of all processes, when the transaction commits, that there may be work. */
export async function wakeEngines(tx: SiteDb): Promise<void> {
  await tx.run(sql`select pg_notify(${sendingChannel}, '')`);
}

/**
 * Listens on a connection of its own and calls `nudged` at each notice, until the signal. A nudge that is lost, for
 * instance while the database restarts, costs a poll's time and nothing else; so errors end it quietly and it begins
 * again.
 */
export async function listenForJobs(
  control: Database,
  nudged: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await listenOnce(control, nudged, signal).catch(() => undefined);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function listenOnce(control: Database, nudged: () => void, signal: AbortSignal): Promise<void> {
  const client = await control.pool.connect();
  let gathering: NodeJS.Timeout | undefined;
  const gathered = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      nudged();
    }, gatherMs);
  };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  try {
    client.once('end', end).once('error', end).on('notification', gathered);
    signal.addEventListener('abort', end, { once: true });
    // Given while the connection was waited for, which no event tells of any more.
    if (signal.aborted) end();
    await client.query(`listen ${sendingChannel}`);
    nudged();
    await ended;
  } finally {
    signal.removeEventListener('abort', end);
    client.off('end', end).off('error', end).off('notification', gathered);
    clearTimeout(gathering);
    // Closed, not reused: a session that listens must not go back to the others.
    client.release(true);
  }
}
