/**
 * One of the two servers that bench/subscribers.ts compares, in a process of its own: `facteur` is the program's router with
 * all operations; `bare` is Fastify with one statement through pg for each route, and nothing else.
 * Takes {kind, connection, dataDir} as JSON; prints its port, and its memory at the end of each line of input.
 */
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import Fastify, { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { callerFinder } from '../src/accounts/caller-store.ts';
import { operations } from '../src/api.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { keepHeapSmall } from '../src/platform/heap.ts';
import { makeServer } from '../src/platform/http/server.ts';
import { guardTokens } from '../src/platform/http/token-guard.ts';
import { makeApp } from '../src/testing/make-app.ts';

interface Options {
  readonly kind: 'facteur' | 'bare';
  readonly connection: pg.PoolConfig;
  readonly dataDir: string;
}

/** The conditions by which a bare route looks one subscriber up: those that Facteur's indexes are made for. */
const lookUps: Readonly<Record<string, string>> = {
  id: 'fld0 = $1',
  client: 'fld43 = $1',
  email: 'lower(fld1) = lower($1)',
  MD5: `facteur.email_md5(fld1) = decode($1, 'hex')`,
  SHA1: `facteur.email_sha1(fld1) = decode($1, 'hex')`,
  SHA2_256: `facteur.email_sha256(fld1) = decode($1, 'hex')`,
  SHA2_512: `facteur.email_sha512(fld1) = decode($1, 'hex')`,
};

const options = JSON.parse(process.argv[2]!) as Options;
const server = options.kind === 'bare' ? bareServer() : facteurServer();
await server.listen({ port: 0, host: '127.0.0.1' });
const address = server.server.address() as AddressInfo;
console.log(address.port);
for await (const _ of createInterface({ input: process.stdin }))
  console.log(Math.round(process.memoryUsage().rss / 1024 / 1024));

function facteurServer(): FastifyInstance {
  // As the program does first of all.
  keepHeapSmall();
  const control = openDatabase(options.connection, () => undefined);
  const app = makeApp(control, {
    settings: { FACTEUR_DATA_DIR: options.dataDir },
    log: pino({ level: 'info' }, pino.destination('/dev/null')),
    publicUrl: 'http://127.0.0.1',
  });
  const find = callerFinder(control);
  // The guard is in the way as it does in service, with a limit that one client cannot reach here.
  const findCaller = guardTokens((token, site) => find(token, site, systemClock.now()), {
    requestsPerMinute: 1e9,
    wrongTokensPerMinute: 30,
    trustedProxies: [],
  });
  return makeServer({ app, operations, findCaller });
}

function bareServer(): FastifyInstance {
  const pool = new pg.Pool({ max: 20, ...options.connection });
  // A SHA-512 in hexadecimal is longer than the hundred characters that a parameter may have.
  const bare = Fastify({ routerOptions: { maxParamLength: 200 } });
  bare.get<{ Params: { id: string } }>('/:id', async ({ params }) => {
    const { rows } = await pool.query('select * from site_demo.subscriber where fld0 = $1', [params.id]);
    return { success: true, data: rows, error: null, typeName: 'Subscriber[]' };
  });
  bare.get<{ Params: { by: string; value: string } }>('/by/:by/:value', async ({ params }) => {
    const { rows } = await pool.query(`select * from site_demo.subscriber where ${lookUps[params.by]!}`, [
      params.value,
    ]);
    return { success: true, data: rows, error: null, typeName: 'Subscriber[]' };
  });
  bare.put<{ Body: { id: number; fields: { idField: number; value: unknown }[] }[] }>(
    '/',
    async ({ body }) => {
      const values = body.map(({ id, fields }) => [id, ...fields.map(({ value }) => value)]);
      const { rows } = await pool.query(
        `update site_demo.subscriber s set fld101 = name, fld102 = points::bigint
       from unnest($1::int[], $2::text[], $3::text[]) as given (id, name, points) where fld0 = id returning s.*`,
        [0, 1, 2].map((i) => values.map((one) => one[i])),
      );
      return { success: true, data: rows, error: null, typeName: 'Subscriber[]' };
    },
  );
  bare.post<{ Body: { fields: { idField: number; value: unknown }[] }[] }>('/', async ({ body }) => {
    const values = body.map(({ fields }) => fields.map(({ value }) => value));
    const { rows } = await pool.query(
      `insert into site_demo.subscriber (fld1, fld101, fld102, fld103, fld2, fld3)
       select email, name, points::bigint, born::timestamptz, now(), now()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as given (email, name, points, born) returning *`,
      [0, 1, 2, 3].map((i) => values.map((one) => one[i])),
    );
    return { success: true, data: rows, error: null, typeName: 'Subscriber[]' };
  });
  return bare;
}
