import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from './api.ts';
import type { Operation } from './platform/http/operation.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { addCustomFields } from './testing/custom-fields.ts';
import { digestSite, fillForeignSite } from './testing/foreign-records.ts';
import { allPlaces, type Call, withValue } from './testing/id-places.ts';
import { callOf } from './testing/isolation-calls.ts';
import { makeInvoice } from './testing/make-invoice.ts';
import { ask, makeOwn } from './testing/own-records.ts';
import { SftpElsewhere } from './testing/sftp-elsewhere.ts';

const exampleOf = (id: string) => operations.find((one) => one.id === id)!.example as object;

let made = 0;

/**
 * For each operation of the administration a call that reaches its handler, on records rebuilt: a user, a token, a
 * provider, and, of the site `shop`, a key, a route, a domain, and a repository on the server given.
 */
async function makeAdminCalls(t: TestApp, elsewhere: SftpElsewhere): Promise<Record<string, Call>> {
  const n = ++made;
  const post = async (path: string, body: object) => {
    const { status, error, data } = await t.call('POST', `/admin/v1${path}`, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${error}`);
    return data as { readonly id: number };
  };
  const site = { idsite: 'shop' };
  const domain = { domain: `d${n}.example`, algorithm: 'ed25519-sha256' };
  const provider = {
    name: `Provider ${n}`,
    maxConnections: 1,
    messagesPerHour: 0,
    domains: [`p${n}.example`],
  };
  const route = { ...exampleOf('createRoute'), position: n };
  const user = { name: `User ${n}`, email: `user${n}@example.com` };
  const idUser = (await post('/users', user)).id;
  const token = { ...exampleOf('createToken'), idUser };
  const { details } = (await post('/tokens', token)) as unknown as { details: { id: number } };
  const idRepository = (await post('/sites/shop/repositories', elsewhere.access)).id;
  const key = await post('/sites/shop/sftp-account/public-keys', exampleOf('addSftpPublicKey'));
  const { fingerprint } = key as unknown as { fingerprint: string };
  const idRoute = (await post('/sites/shop/routes', route)).id;
  const idClosed = (await post('/sites/shop/routes', { ...route, host: '127.0.0.1', port: 1 })).id;
  const idSendingDomain = (await post('/sites/shop/sending-domains', domain)).id;
  const idInvoice = await makeInvoice(t, 'shop', n);
  const idProvider = (await post('/providers', provider)).id;
  const ofSite = { params: site };
  const ofRepository = { params: { ...site, idRepository } };
  return {
    listPostcodes: {},
    loadPostcodes: { body: exampleOf('loadPostcodes') },
    listSites: {},
    createSite: { body: { name: `site${n}` } },
    getSftpAccount: ofSite,
    renewSftpPassword: ofSite,
    listSftpPublicKeys: ofSite,
    addSftpPublicKey: { params: site, body: exampleOf('addSftpPublicKey') },
    removeSftpPublicKey: { params: site, query: { fingerprint } },
    listUsers: {},
    createUser: { body: { ...user, email: `other${n}@example.com` } },
    updateUser: { params: { idUser }, body: user },
    listTokens: {},
    createToken: { body: token },
    revokeToken: { params: { idToken: details.id } },
    listRoutes: ofSite,
    createRoute: { params: site, body: { ...route, position: 500 + n } },
    updateRoute: { params: { ...site, idRoute }, body: route },
    deleteRoute: { params: { ...site, idRoute } },
    testRoute: { params: { ...site, idRoute: idClosed }, body: exampleOf('testRoute') },
    ...(await makeWebhookCalls(t, (await post('/sites/shop/routes', route)).id)),
    listSendingDomains: ofSite,
    createSendingDomain: { params: site, body: { ...domain, domain: `e${n}.example` } },
    deleteSendingDomain: { params: { ...site, idSendingDomain } },
    checkSendingDomain: { params: { ...site, idSendingDomain } },
    getPrices: ofSite,
    setPrices: { params: site, body: exampleOf('setPrices') },
    markInvoicePaid: { params: { ...site, idInvoice }, body: true },
    ...{ listAlerts: {}, listAuditEntries: {}, listProviders: {} },
    createProvider: { body: { ...provider, name: `Other ${n}`, domains: [`q${n}.example`] } },
    updateProvider: { params: { idProvider }, body: provider },
    listRegisteredRepositories: ofSite,
    registerRepository: { params: site, body: elsewhere.access },
    updateRepository: { ...ofRepository, body: elsewhere.access },
    deleteRepository: ofRepository,
    testRepository: ofRepository,
    acceptHostKey: { ...ofRepository, body: { hostKey: elsewhere.fingerprint } },
    setDefaultRepository: { params: site, body: { idRepository } },
    listMailbox: {},
    getMailboxMessage: { params: { idMessage: 1 } },
  };
}

/** Calls on the webhook of a route of its own. */
async function makeWebhookCalls(t: TestApp, idRoute: number): Promise<Record<string, Call>> {
  const body = exampleOf('setRouteWebhook');
  await t.call('PUT', `/admin/v1/sites/shop/routes/${idRoute}/webhook`, { body });
  const params = { idsite: 'shop', idRoute };
  return { setRouteWebhook: { params, body }, deleteRouteWebhook: { params } };
}

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

/** Responses to calls of the administration that need more around them to succeed. */
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
    await fillForeignSite(t);
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

  it.each(named('site'))('%s refuses them in words, in every member', async (_id, operation) => {
    await walk(operation, callOf(operation, await makeOwn(t)));
  });

  it.each(named('caller'))(
    'signing in: %s refuses them in words, in every member',
    // 401: a sign-in that fails; 403: a token may not add a passkey.
    (_id, operation) => walk(operation, { body: operation.example }, [...allowed, 401, 403]),
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
    // The token was looked up, or the route is unknown.
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
