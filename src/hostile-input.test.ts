import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from './api.ts';
import type { Operation } from './platform/http/operation.ts';
import { makeAdminCalls } from './testing/admin-calls.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { digestSite, fillForeignSite } from './testing/foreign-records.ts';
import { allPlaces, withValue } from './testing/id-places.ts';
import { type Call, probes } from './testing/isolation-matrix.ts';
import { ask, makeOwn } from './testing/own-records.ts';
import { SftpElsewhere } from './testing/sftp-elsewhere.ts';

const named = (scope: Operation['scope']) =>
  operations
    .filter((operation) => operation.scope === scope)
    .map((operation) => [operation.id, operation] as const);

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

/** Values that end in a 500 where one is pasted into SQL, taken for what it is not, or not bounded. */
const values: readonly unknown[] = [
  `'; drop schema site_other cascade; --`,
  `1) or (true`,
  `$1 \\ %s \u2028 \ud800`,
  '\u0000',
  '\r\nx: y',
  'x'.repeat(300_000),
  '',
  null,
  true,
  -1,
  0.5,
  2 ** 31,
  1e308,
  {},
  // As text: in a literal `__proto__` is no member of its own, and would not be sent.
  JSON.parse('{"__proto__": {"isSystem": true}, "constructor": {"prototype": {"isSystem": true}}}'),
  nested(500),
  Array(60_000).fill(1),
];

const decoded = (text: string) => (isPercentEncoded(text) ? decodeURIComponent(text) : text);
const isPercentEncoded = (text: string) => /^(?:[^%]|%[0-7][0-9a-f])*$/i.test(text);

/** Words of PostgreSQL's errors, of statements and of stack traces. */
const leak = /syntax error|relation "|column "|violates|select .* from|\/src\/|node_modules|at \w+ \(/i;

/** Statuses of refusals on purpose, and of success where a value happens to be allowed. */
const allowed = [200, 400, 404, 409, 413, 414, 422, 429];

/** What calls of the administration come to that a test without more around it cannot bring to success. */
const reached: Readonly<Record<string, readonly [number, string]>> = {
  getMailboxMessage: [404, 'Message not found'],
  loadPostcodes: [
    400,
    `filename: The file geonames/FR.txt does not exist in sftp/1 on the host ${hostname()}`,
  ],
};

/** One walk over every member that every operation takes: a defect shows as a 500 or as SQL in an answer. */
describe('hostile values', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  let before: Record<string, string>;
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
    await addCustomFields(t.db);
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
    await fillForeignSite(t.otherDb);
    before = await digestSite(t.otherDb);
  });
  afterAll(() => Promise.all([t.close(), elsewhere.close()]));

  const walk = async (operation: Operation, call: Call, expected = allowed) => {
    for (const place of allPlaces(operation)) {
      for (const value of values) {
        // Paths and queries are text: what no client could write there is omitted.
        if (!place.startsWith('body') && (typeof value === 'object' || String(value).length > 10_000))
          continue;
        const { status, error } = await ask(t, operation, withValue(call, place, value));
        const said = `${operation.id} ${place} = ${JSON.stringify(value)?.slice(0, 60)}: ${status} ${error}`;
        expect(expected, said).toContain(status);
        expect(error ?? '', said).not.toMatch(leak);
      }
    }
    expect(await digestSite(t.otherDb)).toEqual(before);
    expect(({} as { isSystem?: boolean }).isSystem).toBeUndefined();
  };

  it.each(named('site'))(
    '%s refuses them in words, in every member',
    async (id, operation) => {
      await walk(operation, probes[id]?.[0]?.own(await makeOwn(t)) ?? {});
    },
    60_000,
  );

  it.each(named('caller'))(
    'signing in: %s refuses them in words, in every member',
    // 401: a sign-in that fails.
    (_id, operation) => walk(operation, { body: operation.example }, [...allowed, 401]),
    60_000,
  );

  it.each(named('admin'))(
    'the administration: %s refuses them in words, in every member',
    async (id, operation) => {
      const call = async () => (await makeAdminCalls(t, elsewhere))[id]!;
      await walk(operation, await call());
      // The members that were not hostile were right: what was refused was refused for the one that was.
      const { status, error } = await ask(t, operation, await call());
      expect([status, error]).toEqual(reached[id] ?? [200, null]);
    },
    60_000,
  );

  it('a member named __proto__ is sent, and refused', async () => {
    const { status, error } = await t.call('PUT', '/fields', {
      body: JSON.parse('{"id": 101, "__proto__": {"isSystem": true}}'),
    });
    expect([status, error]).toEqual([400, expect.stringContaining('not valid JSON')]);
  });

  it.each([
    's1; drop',
    '..',
    '../other',
    'demo"',
    'DEMO',
    'démo',
    'demo%00',
    '%',
    '%ff',
    'd'.repeat(10_000),
    '%2e%2e',
    'demo/..',
  ])('404 or 400 for the site %s, and the database is never told the name', async (site) => {
    const told = vi.spyOn(pg.Client.prototype, 'query');
    const reply = await t.server.inject({
      url: `/v1/${site}/fields`,
      headers: { authorization: t.token('admin') },
    });
    const statements = JSON.stringify(told.mock.calls.map(([query]) => query));
    told.mockRestore();
    // The token was looked up, or the route was none.
    for (const name of [site, decoded(site)]) expect(statements).not.toContain(JSON.stringify(name));
    expect([400, 404, 414]).toContain(reply.statusCode);
    expect(reply.json().data).toBe(null);
  });

  it('401 for a token in the address', async () => {
    const token = t.token('admin').slice('Bearer '.length);
    for (const name of ['token', 'access_token', 'authorization', 'api_key']) {
      expect((await t.call('GET', '/fields', { as: null, query: { [name]: token } })).status).toBe(401);
    }
  });

  it('404 for methods and routes that no operation declares', async () => {
    const routes = [
      ...(['PATCH', 'OPTIONS', 'TRACE'] as const).map((method) => [method, '/v1/demo/fields'] as const),
      // HEAD is answered where GET is, and nowhere else.
      ['HEAD', '/v1/demo/subscribers/unsubscribe'] as const,
      ...['/', '/v2/demo/fields', '/v1/demo', '/debug', '/admin', '/v1/demo/fields/'].map(
        (url) => ['GET', url] as const,
      ),
    ];
    for (const [method, url] of routes) {
      const reply = await t.server.inject({
        method: method as 'GET',
        url,
        headers: { authorization: t.token('admin') },
      });
      expect([method, url, reply.statusCode]).toEqual([method, url, 404]);
    }
  });
});
