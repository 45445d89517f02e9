import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { currentHold } from '../installation/installation-store.ts';

export interface HealthParts {
  readonly control: Database;
  /** Whether the process is ending: it still answers, and wants no new work. */
  readonly isStopping: () => boolean;
}

/** Longest wait for the database before it counts as away. */
const patienceMs = 2_000;

/**
 * GET /health/live: the process answers; if not, restart it. GET /health/ready: it can do its work, which needs the
 * database; if not (503), send it no requests. Requests are answered while sending is held.
 */
export function addHealth(server: FastifyInstance, { control, isStopping }: HealthParts): void {
  server.get('/health/live', async () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const found = await answerInTime(control);
    const database = found ? 'ready' : 'away';
    const ready = database === 'ready' && !isStopping();
    const status = ready ? 'ready' : isStopping() ? 'stopping' : 'unready';
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status, database, ...found });
  });
}

/** Whether sending is held, by the database's answer; undefined when none came in time. */
async function answerInTime(control: Database): Promise<{ sending: 'free' | 'held' } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  const asked = currentHold(control).then(
    (hold) => ({ sending: hold ? 'held' : 'free' }) as const,
    () => undefined,
  );
  const answered = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answered;
}
