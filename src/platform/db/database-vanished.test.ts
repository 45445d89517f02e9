import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { cloneDatabase } from '../../testing/database.ts';
import { tcpProxy } from '../../testing/tcp-proxy.ts';
import { until } from '../../testing/until.ts';
import { sendFailure } from '../http/envelope.ts';
import { refusalOfFault } from '../http/fault.ts';
import { openDatabase } from './database.ts';
import { sql } from './sql.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('a host that vanishes: requests get 503 long before the limit of a statement, and a slow one waits', async () => {
  const clone = await cloneDatabase();
  closers.push(() => clone.close());
  const proxy = await tcpProxy(clone.connection);
  closers.push(() => proxy.close());
  const database = openDatabase({ ...proxy.connection, max: 2 }, () => undefined, 60_000);
  closers.push(() => database.pool.end());
  const ask = (seconds: number) =>
    database.one<{ n: number }>(sql`select 1 as n from pg_sleep(${seconds}::float8)`).then(
      () => 200,
      (error) => refusalOfFault(error).status,
    );
  // Longer than the wait after which the server is probed.
  expect(await Promise.all([ask(5), ask(0)])).toEqual([200, 200]);
  proxy.hold();
  // In a transaction, and waiting for a connection, as well.
  const together = database
    .transaction((tx) => tx.one(sql`select 1 as n`))
    .then(
      () => 200,
      (error) => refusalOfFault(error).status,
    );
  expect(await Promise.all([ask(0), together, ask(0), ask(0)])).toEqual([503, 503, 503, 503]);
  expect(await ask(0)).toBe(503);
  proxy.replace();
  await until(async () => (await ask(0)) === 200, 'requests are answered again');
});

it('a host that vanishes without a word: requests get 503, and 200 again when one is back', async () => {
  const clone = await cloneDatabase();
  closers.push(() => clone.close());
  const proxy = await tcpProxy(clone.connection);
  closers.push(() => proxy.close());
  // Two connections, so that ones that never came back would be missed.
  const database = openDatabase(
    { ...proxy.connection, max: 2, connectionTimeoutMillis: 1_000 },
    () => undefined,
    100,
  );
  closers.push(() => database.pool.end());
  const server = Fastify();
  server.setErrorHandler<Error>((error, request, reply) => sendFailure(error, request, reply));
  closers.push(() => server.close());
  server.get('/alone', () => database.one(sql`select 1 as n`));
  server.get('/together', () => database.transaction((tx) => tx.one(sql`select 1 as n`)));
  const ask = async () => {
    const answers = ['/alone', '/together', '/alone', '/together'].map((url) => server.inject(url));
    return (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  };
  expect(await ask()).toEqual([200, 200, 200, 200]);
  proxy.hold();
  expect(await ask()).toEqual([503, 503, 503, 503]);
  expect(await ask()).toEqual([503, 503, 503, 503]);
  proxy.replace();
  // Connections that were being made when the other host came are given up first: a second, or two on a busy machine.
  await until(async () => (await ask()).every((status) => status === 200), 'requests are answered again');
});
