import type { FastifyInstance } from 'fastify';
import { type Database, serverVersion } from '../db/database.ts';
import { currentHold } from '../installation/installation-store.ts';
import { countStalledSendings } from '../installation/stalled-sendings.ts';
import { within } from '../within.ts';

export interface HealthParts {
  readonly control: Database;
  /** Whether the process is ending: it still answers, and wants no new work. */
  readonly isStopping: () => boolean;
  /** Further parts of this process without which it cannot do its work. */
  readonly parts?: readonly (() => Promise<HealthPart>)[];
}

/** What a part of the process says of itself. */
export interface HealthPart {
  readonly isReady: boolean;
  /** Members of the answer. */
  readonly told: Readonly<Record<string, string | number>>;
}

/** Longest wait for the database before it counts as away. */
const patienceMs = 2_000;

/**
 * GET /health/live: the process answers; if not, restart it. GET /health/ready: it can do its work, which needs the
 * database, and its parts; if not (503), send it no requests. Requests are answered while sending is held, or stands
 * still: who routes requests has no use of knowing, an operator has.
 */
export function addHealth(server: FastifyInstance, { control, isStopping, parts = [] }: HealthParts): void {
  server.get('/health/live', async () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const [found, ...others] = await Promise.all([answerInTime(control), ...parts.map((look) => look())]);
    const database = found ? 'ready' : 'away';
    const ready = database === 'ready' && others.every((one) => one.isReady) && !isStopping();
    const status = ready ? 'ready' : isStopping() ? 'stopping' : 'unready';
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(Object.assign({ status, database, ...found }, ...others.map((one) => one.told)));
  });
}

interface DatabaseHealth {
  /** Version of the server, for example 18.4. */
  readonly postgres: string;
  readonly sending: 'free' | 'held';
  readonly stalledSendings: number;
}

/** What the database answers: its version, whether sending is held, stalled sendings. Undefined if it is late. */
async function answerInTime(control: Database): Promise<DatabaseHealth | undefined> {
  try {
    const asked = Promise.all([serverVersion(control), currentHold(control), countStalledSendings(control)]);
    const [postgres, hold, stalledSendings] = await within(patienceMs, asked);
    return { postgres, sending: hold ? 'held' : 'free', stalledSendings };
  } catch {
    return undefined;
  }
}
