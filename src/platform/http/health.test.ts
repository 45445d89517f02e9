import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../testing/database.ts';
import { openDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { addTask, task } from '../tasks.ts';
import { addCors } from './cors.ts';
import { addHealth } from './health.ts';
import { addMetrics } from './metrics.ts';

describe('health, metrics and CORS', () => {
  let database: TestDatabase;
  let server: FastifyInstance;
  let stopping: boolean;

  beforeEach(async () => {
    database = await cloneDatabase();
    server = Fastify();
    stopping = false;
  });
  afterEach(async () => {
    await server.close();
    await database.close();
  });

  const get = async (url: string, headers = {}) => server.inject({ method: 'GET', url, headers });

  it('is live and ready with a database', async () => {
    addHealth(server, { control: database.database, isStopping: () => stopping });
    expect((await get('/health/live')).json()).toEqual({ status: 'live' });
    const postgres = expect.stringMatching(/^1[5-9]\.\d+/);
    const ready = await get('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', database: 'ready', postgres }]);
    stopping = true;
    const after = await get('/health/ready');
    expect([after.statusCode, after.json()]).toEqual([
      503,
      { status: 'stopping', database: 'ready', postgres },
    ]);
  });

  it('is live but not ready without one', async () => {
    const nowhere = openDatabase({ host: '/nowhere' }, () => undefined);
    addHealth(server, { control: nowhere, isStopping: () => stopping });
    expect((await get('/health/live')).statusCode).toBe(200);
    const ready = await get('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'unready', database: 'away' }]);
    await nowhere.pool.end();
  });

  it('counts answers by operation, not by address', async () => {
    addMetrics(server, database.database);
    server.get('/things/:id', { config: { operation: 'getThing' } as object }, async () => 'x');
    await get('/things/secret@example.org');
    await get('/nowhere');
    const { body, headers } = await get('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toContain('facteur_http_request_seconds_count{operation="getThing",status="200"} 1');
    expect(body).toContain('facteur_http_request_seconds_count{operation="other",status="404"} 1');
    expect(body).toContain('facteur_database_connections{state="waiting"} 0');
    expect(body).not.toContain('example.org');
  });

  it('counts the jobs that used up their attempts, and responds without the database as well', async () => {
    addMetrics(server, database.database);
    const brittle = task({ name: 'brittle', maxAttempts: 1, run: async () => undefined });
    await addTask(database.database, brittle, {});
    expect((await get('/metrics')).body).not.toContain('facteur_jobs_failed{');
    await database.database.run(sql`update graphile_worker._private_jobs set attempts = 1`);
    expect((await get('/metrics')).body).toContain('facteur_jobs_failed{task="brittle"} 1');

    const other = Fastify();
    addMetrics(
      other,
      openDatabase({ host: '/nowhere' }, () => undefined),
    );
    const { statusCode, body } = await other.inject({ method: 'GET', url: '/metrics' });
    expect([statusCode, body.includes('facteur_jobs_failed{')]).toEqual([200, false]);
    await other.close();
  });

  it('lets only configured origins in, and answers their preflight', async () => {
    addCors(server, ['https://app.example']);
    server.get('/v1/demo/fields', async () => 'x');
    const preflight = (origin: string) =>
      server.inject({
        method: 'OPTIONS',
        url: '/v1/demo/fields',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
    const answer = await preflight('https://app.example');
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, if-match, if-none-match',
    });
    expect((await preflight('https://evil.example')).statusCode).toBe(404);
    const evil = await get('/v1/demo/fields', { origin: 'https://evil.example' });
    expect(evil.headers['access-control-allow-origin']).toBeUndefined();
    const fine = await get('/v1/demo/fields', { origin: 'https://app.example' });
    expect(fine.headers['access-control-allow-origin']).toBe('https://app.example');
  });

  it('has no CORS when none is configured', async () => {
    addCors(server, []);
    server.get('/v1/demo/fields', async () => 'x');
    const answer = await get('/v1/demo/fields', { origin: 'https://app.example' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers.vary).toBeUndefined();
  });
});
