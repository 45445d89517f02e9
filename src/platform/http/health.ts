import type { FastifyInstance } from 'fastify';
import { type Database, serverVersion } from '../db/database.ts';
import { within } from '../within.ts';

export interface HealthParts {
  readonly control: Database;
  /** Whether the process is ending: it still responds but takes no new work. */
  readonly isStopping: () => boolean;
  /** Further parts of this process without which it cannot do its work. */
  readonly parts?: readonly (() => Promise<HealthPart>)[];
}

export interface HealthPart {
  readonly isReady: boolean;
  readonly told: Readonly<Record<string, string | number>>;
}

const patienceMs = 2_000;

/** Adds GET /health/live (if it fails, restart) and GET /health/ready (if it fails, send no requests). */
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

/** The version of the server, for example 18.4. Undefined if the database does not answer in time. */
async function answerInTime(control: Database): Promise<{ readonly postgres: string } | undefined> {
  try {
    return { postgres: await within('The database', patienceMs, serverVersion(control)) };
  } catch {
    return undefined;
  }
}
