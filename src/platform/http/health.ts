import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';

export interface HealthParts {
  readonly control: Database;
  /** Whether the process is ending: it still answers, and wants no new work. */
  readonly isStopping: () => boolean;
}

/** Longest wait for the database before it counts as away. */
const patienceMs = 2_000;

/**
 * GET /health/live: the process answers; if not, restart it. GET /health/ready: it can do its work, which needs the
 * database; if not (503), send it no requests.
 */
export function addHealth(server: FastifyInstance, { control, isStopping }: HealthParts): void {
  server.get('/health/live', async () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    const database = (await answersInTime(control)) ? 'ready' : 'away';
    const ready = database === 'ready' && !isStopping();
    const status = ready ? 'ready' : isStopping() ? 'stopping' : 'unready';
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status, database });
  });
}

async function answersInTime(control: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  const asked = control.run(sql`select 1`).then(
    () => true,
    () => false,
  );
  const answered = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answered;
}
