import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { countFailedTasks } from '../failed-tasks.ts';
import { within } from '../within.ts';

/**
 * GET /metrics in Prometheus' text format: the process, the connections to the database, each operation's answers and
 * times, and the jobs that failed permanently. Nothing here names a site, a user or an address; what is counted for
 * sites comes from the program (service-metrics.ts), which registers it as well.
 */
export function addMetrics(server: FastifyInstance, control: Database, registry = new Registry()): Registry {
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'facteur_http_request_seconds',
    help: 'HTTP request duration in seconds, until the response ends',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'facteur_database_connections',
    help: 'Connections of the pool to PostgreSQL, and callers that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount, waitingCount } = control.pool;
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
  new Gauge({
    name: 'facteur_jobs_failed',
    help: 'Background tasks of the installation that used up their attempts and are still queued',
    labelNames: ['task'],
    registers: [registry],
    async collect() {
      this.reset();
      // While the database is unavailable the other figures are wanted all the more.
      // A database that hangs must not keep a scrape waiting.
      const counts = await within('The database', 1_000, countFailedTasks(control)).catch(() => []);
      for (const { task, count } of counts) this.set({ task }, count);
    },
  });
  server.addHook('onResponse', async (request, reply) => {
    // Operations by id, everything else under one name: addresses would make a series each.
    const { operation } = request.routeOptions.config as { operation?: string };
    seconds.observe({ operation: operation ?? 'other', status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return registry;
}
