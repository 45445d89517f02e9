import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { digestSite, fillForeignSite } from './testing/foreign-records.ts';
import { allPlaces, withValue } from './testing/id-places.ts';
import { probes } from './testing/isolation-matrix.ts';
import { ask, makeOwn } from './testing/own-records.ts';

const ofSites = operations.filter((operation) => operation.scope === 'site');

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
  { __proto__: null, constructor: { prototype: { isSystem: true } } },
  nested(500),
  Array(60_000).fill(1),
];

/** Words of PostgreSQL's errors, of statements and of stack traces. */
const leak = /syntax error|relation "|column "|violates|select .* from|\/src\/|node_modules|at \w+ \(/i;

/** Statuses of refusals on purpose, and of success where a value happens to be allowed. */
const allowed = [200, 400, 404, 409, 413, 414, 422, 429];

/** One walk over every member that every operation takes: a defect shows as a 500 or as SQL in an answer. */
describe('hostile values', () => {
  let t: TestApp;
  let before: Record<string, string>;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    await fillForeignSite(t.otherDb);
    before = await digestSite(t.otherDb);
  });
  afterAll(() => t.close());

  it.each(ofSites.map((operation) => [operation.id, operation] as const))(
    '%s refuses them in words, in every member',
    async (id, operation) => {
      const own = await makeOwn(t);
      const call = probes[id]?.[0]?.own(own) ?? {};
      for (const place of allPlaces(operation)) {
        for (const value of values) {
          // Paths and queries are text: what no client could write there is left out.
          if (!place.startsWith('body') && (typeof value === 'object' || String(value).length > 10_000))
            continue;
          const { status, error } = await ask(t, operation, withValue(call, place, value));
          const said = `${id} ${place} = ${JSON.stringify(value)?.slice(0, 60)}: ${status} ${error}`;
          expect(allowed, said).toContain(status);
          expect(error ?? '', said).not.toMatch(leak);
        }
      }
      expect(await digestSite(t.otherDb)).toEqual(before);
    },
    60_000,
  );

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
  ])('404 or 400 for the site %s, and the database is not asked', async (site) => {
    const reply = await t.server.inject({
      url: `/v1/${site}/fields`,
      headers: { authorization: t.token('admin') },
    });
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
      ...(['PATCH', 'OPTIONS', 'TRACE', 'HEAD'] as const).map(
        (method) => [method, '/v1/demo/fields'] as const,
      ),
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
