import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { until } from '../../testing/until.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { type Operation, siteOperation } from './operation.ts';
import { conflict } from './refusal.ts';
import { Bool, Closed, Id, Line, Paging, Query, Type } from './schema.ts';

const Thing = Closed('Thing', { id: Id('target'), names: Type.Array(Line(5), { maxItems: 3 }) });

const operations = [
  siteOperation({
    id: 'getThing',
    method: 'GET',
    path: '/things/{idThing}',
    right: 'read',
    tag: 'Things',
    summary: 'Get a thing',
    params: Query({ idThing: Id('target') }),
    query: Query({ names: Type.Optional(Type.Array(Line(5))), ...Paging(['Name', 'Id']) }),
    reply: Thing,
    handle: async ({ params, query }) => ({ id: params.idThing, names: query.names ?? [] }),
  }),
  siteOperation({
    id: 'setThing',
    method: 'PUT',
    path: '/things',
    right: 'write',
    tag: 'Things',
    summary: 'Set a thing',
    body: Thing,
    reply: Bool(),
    handle: async ({ body }) => {
      if (body.id === 9) throw conflict('A thing 9 exists');
      if (body.id === 10) throw new Error('select secret from password');
      if (body.id === 11) return 'yes' as never;
      if (body.id === 12) await slow.run(sql`select pg_sleep(20)`);
      return true;
    },
  }),
  siteOperation({
    id: 'setManyThings',
    method: 'PUT',
    path: '/many-things',
    right: 'write',
    tag: 'Things',
    summary: 'Set things',
    body: Type.Array(Thing),
    bodyMegabytes: 8,
    reply: Bool(),
    handle: async () => true,
  }),
  siteOperation({
    id: 'tellGone',
    method: 'GET',
    path: '/gone',
    right: 'read',
    tag: 'Things',
    summary: 'Tell whether the client is gone',
    reply: Bool(),
    handle: async ({ signal }) => {
      areGone.push(signal.aborted);
      return signal.aborted;
    },
  }),
  siteOperation({
    id: 'takeTurns',
    method: 'POST',
    path: '/turns',
    right: 'write',
    tag: 'Things',
    summary: 'Wait for what the test says',
    body: Thing,
    atOnce: 2,
    reply: Bool(),
    async handle({ body }) {
      entered.push(body.id);
      await leave;
      return true;
    },
  }),
] as readonly Operation[];

/** Whether the clients of `tellGone` no longer existed when it began. */
const areGone: boolean[] = [];

/** Calls that entered `takeTurns`, and the events that it waits for. */
let entered: number[];
let leave: Promise<void>;

/** A pool whose statements may take a tenth of a second, as the API's may take its own limit. */
let slow: Database;

describe('the HTTP server', () => {
  let t: TestApp;
  let address: string;
  beforeAll(async () => {
    t = await testApp({ operations });
    address = await t.server.listen({ host: '127.0.0.1', port: 0 });
    slow = openDatabase({ ...t.connection, max: 1 }, () => undefined, 100);
  });
  afterAll(async () => {
    await slow.pool.end();
    await t.close();
  });

  const sorted = { 'filter.sortBy': 'Name', 'filter.order': 'ASC' };

  it('200 answers the envelope with exactly four members', async () => {
    const { headers, status, ...envelope } = await t.call('GET', '/things/7', { query: sorted });
    expect(status).toBe(200);
    expect(envelope).toEqual({ success: true, data: { id: 7, names: [] }, error: null, typeName: 'Thing' });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('200 takes an array of a query repeated, single, separated by commas, or all of it', async () => {
    for (const [names, read] of [
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      ['a,b', ['a', 'b']],
      [
        ['a,b', 'c'],
        ['a', 'b', 'c'],
      ],
      [
        ['a', 'b,c'],
        ['a', 'b', 'c'],
      ],
      ['', []],
    ] as const) {
      const reply = await t.call('GET', '/things/7', { query: { ...sorted, names } });
      expect(reply.data).toEqual({ id: 7, names: read });
    }
    expect((await t.call('GET', '/things/7', { query: { ...sorted, names: 'a' } })).data).toEqual({
      id: 7,
      names: ['a'],
    });
  });

  it.each([
    [
      'an unknown query member',
      'GET',
      '/things/7',
      { query: { ...sorted, filter: 1 } },
      'filter: unknown member',
    ],
    [
      'a missing query member',
      'GET',
      '/things/7',
      { query: { 'filter.order': 'ASC' } },
      'filter.sortBy: is required',
    ],
    [
      'a word outside the list',
      'GET',
      '/things/7',
      { query: { ...sorted, 'filter.order': 'UP' } },
      'filter.order: must be one of ASC, DESC',
    ],
    ['a path that is no number', 'GET', '/things/x', { query: sorted }, 'idThing: must be an integer'],
    [
      'an identifier beyond 32 bits',
      'GET',
      '/things/2147483648',
      { query: sorted },
      'idThing: must be at most 2147483647',
    ],
    [
      'an unknown body member',
      'PUT',
      '/things',
      { body: { id: 1, names: [], nam: 1 } },
      'nam: unknown member',
    ],
    ['a missing body member', 'PUT', '/things', { body: { id: 1 } }, 'names: is required'],
    [
      'a misspelt body member, its name cut',
      'PUT',
      '/things',
      { body: { id: 1, nmaes: [], ['x'.repeat(300)]: 1 } },
      `names: is required (unknown members: nmaes, ${'x'.repeat(50)})`,
    ],
    [
      'many unknown members, the first ones named',
      'PUT',
      '/things',
      { body: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`m${i}`, 1])) },
      'id: is required (unknown members: m0, m1, m2, m3, m4, … (9))',
    ],
    ['a number given as text', 'PUT', '/things', { body: { id: '1', names: [] } }, 'id: must be an integer'],
    [
      'a member deep inside',
      'PUT',
      '/things',
      { body: { id: 1, names: ['a', 'toolong'] } },
      'names[1]: must have at most 5 characters',
    ],
    [
      'a line end in a line',
      'PUT',
      '/things',
      { body: { id: 1, names: ['a\nb'] } },
      'names[0]: holds characters that are not allowed (control characters or line ends)',
    ],
    [
      'too many items',
      'PUT',
      '/things',
      { body: { id: 1, names: ['', '', '', ''] } },
      'names: must have at most 3 items',
    ],
    ['no body', 'PUT', '/things', {}, 'body: must be an object'],
  ] as const)('400 names %s', async (_what, method, path, options, error) => {
    const reply = await t.call(method, path, options);
    expect(reply).toMatchObject({ status: 400, success: false, data: null, error, typeName: null });
    expect(reply.headers['x-error-code']).toBe('invalid_input');
  });

  it.each(['{"id": 1,', '{"__proto__": {"a": 1}, "id": 1, "names": []}', '\u0000'])(
    '400 refuses the body %s',
    async (payload) => {
      const reply = await raw(payload);
      expect([reply.statusCode, reply.headers['x-error-code']]).toEqual([400, 'malformed']);
    },
  );

  it.each([
    ['nests deep', '['.repeat(900_000), 'The body nests deeper than 64 levels'],
    ['nests deep in objects', '{"a":'.repeat(200_000), 'The body nests deeper than 64 levels'],
    [
      'has an object of many members',
      JSON.stringify({ id: 1, names: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, i])) }),
      'An object of the body has more than 1000 members',
    ],
  ])('400 says so of a body that %s', async (_what, payload, error) => {
    const reply = await raw(payload);
    expect([reply.statusCode, reply.headers['x-error-code'], reply.json().error]).toEqual([
      400,
      'malformed',
      error,
    ]);
  });

  it('400 refuses a body that is not in UTF-8, whatever its type says, and keeps none of it', async () => {
    const text = '{"id": 1, "names": ["Été"]}';
    for (const type of ['application/json', 'application/json; charset=iso-8859-1']) {
      const reply = await raw(Buffer.from(text, 'latin1'), { type });
      expect([reply.statusCode, reply.headers['x-error-code'], reply.json().error]).toEqual([
        400,
        'malformed',
        'The body is not written in UTF-8',
      ]);
    }
    for (const written of [text, `\ufeff${text}`]) expect((await raw(written)).statusCode).toBe(200);
  });

  it('400 refuses another media type', async () => {
    expect((await raw('a=1', { type: 'application/x-www-form-urlencoded' })).json().error).toMatch(
      /must be JSON/,
    );
  });

  it('401 without a token and with a wrong one, with the same body', async () => {
    const none = await t.call('GET', '/things/7', { as: null });
    const wrong = await raw('{}', { token: 'Bearer nope' });
    expect(none).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect([wrong.statusCode, wrong.json().error]).toEqual([401, none.error]);
  });

  it('403 without the right', async () => {
    const reply = await t.call('PUT', '/things', { as: 'reader', body: { id: 1, names: [] } });
    expect(reply).toMatchObject({ status: 403, error: expect.stringContaining("'write'") });
  });

  it('404 is the same for a site that does not exist and one that the token may not see', async () => {
    const errors: unknown[] = [];
    for (const site of ['other', 'nosuch', 'x'.repeat(150), 's1;drop', 'DEMO', '..%2f', 's1%22']) {
      const reply = await t.call('GET', '/things/7', { site, query: sorted });
      errors.push([reply.status, reply.error, reply.headers['x-error-code']]);
    }
    expect(new Set(errors.map(String))).toEqual(new Set(['404,Site not found,not_found']));
  });

  it('404 for an unknown route', async () => {
    expect(await t.call('GET', '/nothing')).toMatchObject({ status: 404, error: 'Route not found' });
  });

  it('409 carries the refusal and its code', async () => {
    const reply = await t.call('PUT', '/things', { body: { id: 9, names: [] } });
    expect(reply).toMatchObject({
      status: 409,
      error: 'A thing 9 exists',
      headers: { 'x-error-code': 'conflict' },
    });
  });

  it('413 for a body over the limit of its operation', async () => {
    const bodyOf = (megabytes: number) => `"${'x'.repeat(megabytes * 1024 ** 2 - 2)}"`;
    const error = (megabytes: number) =>
      `The body is larger than the ${megabytes} MB that this operation takes`;
    const small = await raw(`${bodyOf(1)} `);
    expect([small.statusCode, small.json().error]).toEqual([413, error(1)]);
    expect((await raw(bodyOf(1))).json().error).toBe('body: must be an object');
    const large = await raw(`${bodyOf(8)} `, { url: '/v1/demo/many-things' });
    expect([large.statusCode, large.json().error]).toEqual([413, error(8)]);
    expect((await raw(bodyOf(8), { url: '/v1/demo/many-things' })).json().error).toBe(
      'body: must be an array',
    );
  });

  it('200 for an operation that runs a limited number of calls: others wait, and 503 for those beyond', async () => {
    entered = [];
    let release = () => {};
    leave = new Promise((resolve) => {
      release = resolve;
    });
    const call = (id: number) => t.call('POST', '/turns', { body: { id, names: [] } });
    const calls = Array.from({ length: 103 }, (_, i) => call(i + 1));
    const refused = await Promise.race(calls);
    expect(refused).toMatchObject({
      status: 503,
      error: expect.stringContaining('Too many calls of takeTurns'),
    });
    expect(refused.headers['retry-after']).toBe('1');
    // A caller without the right is refused without waiting.
    expect((await t.call('POST', '/turns', { body: {}, as: 'reader' })).status).toBe(403);
    expect(entered).toHaveLength(2);
    release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect([statuses.filter((one) => one === 200).length, entered.length]).toEqual([102, 102]);
    expect((await call(104)).status).toBe(200);
  });

  /** Sends a request whose client disconnects while its token is looked up, and then lets the look-up continue. */
  async function askAndGo(path: string, init: RequestInit): Promise<void> {
    const hold = await Hold.of(t.connection, 'lock table facteur.token in access exclusive mode');
    const closed = new Promise<void>((resolve) => {
      t.server.server.once('request', ({ socket }) => socket.once('close', () => resolve()));
    });
    const client = new AbortController();
    const asked = fetch(`${address}/v1/demo${path}`, { ...init, signal: client.signal });
    await hold.reached();
    client.abort();
    await expect(asked).rejects.toThrow();
    await closed;
    await hold.letGo();
  }

  it('notifies a handler of a client that disconnected before it began', async () => {
    expect((await t.call('GET', '/gone')).data).toBe(false);
    await askAndGo('/gone', { headers: { authorization: t.token('reader') } });
    await until(() => areGone.length === 2, 'the handler to run');
    expect(areGone).toEqual([false, true]);
  });

  it('releases the turns of clients that have gone before they got one', async () => {
    entered = [];
    leave = Promise.resolve();
    const headers = { authorization: t.token('sender'), 'content-type': 'application/json' };
    const body = JSON.stringify({ id: 1, names: [] });
    // As many as may be at it.
    for (let n = 1; n <= 2; n++) await askAndGo('/turns', { method: 'POST', headers, body });
    expect((await t.call('POST', '/turns', { body: { id: 3, names: [] } })).status).toBe(200);
  });

  it('500 reveals nothing about a defect', async () => {
    const reply = await t.call('PUT', '/things', { body: { id: 10, names: [] } });
    expect(reply).toMatchObject({ status: 500, error: 'Internal error; the request id names it in the log' });
  });

  it('503 for a statement that takes longer than a request may', async () => {
    const reply = await t.call('PUT', '/things', { body: { id: 12, names: [] } });
    expect(reply).toMatchObject({ status: 503, headers: { 'x-error-code': 'too_slow' } });
  });

  it('500 for a reply outside its schema, when replies are checked', async () => {
    expect((await t.call('PUT', '/things', { body: { id: 11, names: [] } })).status).toBe(500);
  });

  function raw(
    payload: string | Buffer,
    { url = '/v1/demo/things', type = 'application/json', token = t.token('sender') } = {},
  ) {
    const headers = { authorization: token, 'content-type': type };
    return t.server.inject({ method: 'PUT', url, payload, headers });
  }
});
