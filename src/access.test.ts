import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import { bodyMegabytes, type Need, type Operation, prefixOf } from './platform/http/operation.ts';
import { forbidden, foreignOrigin, notOfAllSites } from './platform/http/refusal.ts';
import { maxWaiting } from './platform/http/server.ts';
import { referenceWords } from './reference-words.ts';
import { type TestApp, type TestRole, testApp } from './testing/app.ts';
import { readExamples } from './testing/examples.ts';
import { makeSession } from './testing/make-session.ts';

/** The weakest role that may call, and one that may not. */
const roleWith: Record<Need, TestRole> = {
  none: 'reader',
  any: 'reader',
  read: 'reader',
  write: 'editor',
  send: 'sender',
  admin: 'admin',
};
const roleWithout: Partial<Record<Need, TestRole>> = { write: 'reader', send: 'editor', admin: 'sender' };

const ofCallers = operations.filter((operation) => operation.right !== 'none');
const ofSites = operations.filter((operation) => operation.scope === 'site');

/** One walk over every operation that exists: what is added is covered the day it is added. */
describe('access to every operation', () => {
  let t: TestApp;
  let session: string;
  beforeAll(async () => {
    t = await testApp();
    session = await makeSession(t);
  });
  afterAll(() => t.close());

  const named = (of: readonly Operation[]) => of.map((operation) => [operation.id, operation] as const);
  const pathOf = (operation: Operation) =>
    `${operation.scope === 'admin' ? '/admin/v1' : ''}${operation.path.replaceAll(/\{\w+\}/g, '1')}`;
  const urlOf = (operation: Operation) =>
    `${prefixOf(operation).replace('{idsite}', 'demo')}${operation.path.replaceAll(/\{\w+\}/g, '1')}`;
  const siteOf = ({ scope }: Operation) => (scope === 'caller' ? null : 'demo');

  it.each(named(ofCallers))('401 %s without a token', async (_id, operation) => {
    const reply = await t.call(operation.method, pathOf(operation), { as: null, site: siteOf(operation) });
    expect(reply.status).toBe(401);
  });

  it.each(named(operations.filter(({ method }) => method !== 'GET')))(
    '403 %s from a page of another origin',
    async (_id, operation) => {
      const call = (origin?: string) =>
        t.server.inject({
          method: operation.method,
          // What comes through is refused for it, so that nothing is done.
          url: `${urlOf(operation)}?unheardOf=1`,
          headers: { cookie: `facteur_session=${session}`, ...(origin !== undefined && { origin }) },
        });
      const foreign = await call('https://evil.example');
      expect([foreign.statusCode, foreign.json().error]).toEqual([403, foreignOrigin().message]);
      // A browser always says whose page it is; only what needs no session may come without.
      expect((await call()).statusCode === 403).toBe(operation.right !== 'none');
      expect((await call('http://mail.test')).json().error).not.toBe(foreignOrigin().message);
    },
  );

  it.each(named(ofCallers.filter(({ method }) => method === 'GET')))(
    '401 %s with a session, when a page of another origin requests it',
    async (_id, operation) => {
      const statusFrom = async (source?: string) => {
        const headers = {
          cookie: `facteur_session=${session}`,
          ...(source !== undefined && { 'sec-fetch-site': source }),
        };
        const url = `${urlOf(operation)}?unheardOf=1`;
        return (await t.server.inject({ method: 'GET', url, headers })).statusCode;
      };
      expect([await statusFrom('cross-site'), await statusFrom('same-site')]).toEqual([401, 401]);
      for (const source of ['same-origin', 'none', undefined]) expect(await statusFrom(source)).not.toBe(401);
    },
  );

  it.each(named(ofSites))(
    '404 %s for a site that does not exist and one that the token may not see',
    async (_id, operation) => {
      const as = roleWith[operation.right] === 'admin' ? 'sender' : roleWith[operation.right];
      const unknown = await t.call(operation.method, pathOf(operation), { site: 'nosuch', as });
      const foreign = await t.call(operation.method, pathOf(operation), { site: 'other', as });
      expect([foreign.status, foreign.error]).toEqual([404, 'Site not found']);
      expect([unknown.status, unknown.error]).toEqual([404, 'Site not found']);
    },
  );

  it.each(named(operations.filter((operation) => roleWithout[operation.right])))(
    '403 %s without its right',
    async (_id, operation) => {
      const reply = await t.call(operation.method, pathOf(operation), { as: roleWithout[operation.right]! });
      expect([reply.status, reply.error]).toEqual([
        403,
        // The tokens of these roles reach one site only.
        (operation.scope === 'admin' ? notOfAllSites() : forbidden(operation.right)).message,
      ]);
    },
  );

  it.each(named(operations))('400 %s names the member that is wrong', async (_id, operation) => {
    const reply = await t.call(operation.method, pathOf(operation), {
      as: roleWith[operation.right],
      site: siteOf(operation),
      query: { unheardOf: 1 },
    });
    // A missing member, otherwise the unknown one.
    expect([reply.status, reply.error]).toEqual([400, expect.stringMatching(/^[\w.]+: \w/)]);
  });

  it.each(named(operations.filter((operation) => operation.body)))(
    '413 %s for a body larger than it takes',
    async (_id, operation) => {
      const megabytes = operation.bodyMegabytes ?? bodyMegabytes;
      const reply = await t.server.inject({
        method: operation.method,
        url: urlOf(operation),
        headers: { authorization: t.token(roleWith[operation.right]), 'content-type': 'application/json' },
        payload: Buffer.alloc(megabytes * 1024 ** 2 + 1, ' '),
      });
      expect([reply.statusCode, reply.json().error]).toEqual([
        413,
        `The body is larger than the ${megabytes} MB that this operation takes`,
      ]);
    },
  );

  // Operations without a token take their permits after the body: sign-in.test.ts.
  it.each(named(operations.filter(({ atOnce, right }) => atOnce && right !== 'none')))(
    '503 %s when too many wait for their turn, and the others are answered',
    async (id, operation) => {
      let send = () => {};
      const sent = new Promise<void>((resolve) => {
        send = resolve;
      });
      const call = () =>
        t.server.inject({
          method: operation.method,
          url: urlOf(operation),
          headers: { authorization: t.token(roleWith[operation.right]), 'content-type': 'application/json' },
          // A call keeps its permit until its body has come.
          payload: Readable.from(bodyAfter(sent)),
        });
      const calls = Array.from({ length: operation.atOnce! + maxWaiting + 1 }, call);
      const refused = await Promise.race(calls);
      expect([refused.statusCode, refused.json().error]).toEqual([
        503,
        `Too many calls of ${id} are under way; try again in a moment`,
      ]);
      send();
      const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode);
      expect(statuses.filter((status) => status !== 503)).toEqual(Array(calls.length - 1).fill(400));
    },
  );

  it('ids and routes are unique', () => {
    for (const of of [
      operations.map((one) => one.id),
      operations.map((one) => `${one.scope} ${one.method} ${one.path}`),
    ]) {
      expect(of.filter((one, i) => of.indexOf(one) !== i)).toEqual([]);
    }
  });

  it('objects that come in refuse members they do not know', () => {
    const open = operations.flatMap((operation) =>
      openObjects(operation.body, `${operation.id}.body`).concat(
        openObjects(operation.query, `${operation.id}.query`),
      ),
    );
    expect(open).toEqual([]);
  });

  it('openapi.json is current', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const committed: unknown = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const parts = { operations, version, words: referenceWords, examples: readExamples() };
    expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument(parts))));
  });
});

async function* bodyAfter(sent: Promise<void>): AsyncGenerator<string> {
  await sent;
  yield '{}';
}

/** Where an input schema holds an object that would take unknown members. */
function openObjects(schema: TSchema | undefined, path: string): string[] {
  if (!schema) return [];
  const { type, properties, additionalProperties, items, anyOf } = schema as {
    type?: string;
    properties?: Record<string, TSchema>;
    additionalProperties?: boolean | TSchema;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  return [
    ...(type === 'object' && additionalProperties === undefined ? [path] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => openObjects(member, `${path}.${name}`)),
    ...(anyOf ?? []).flatMap((member) => openObjects(member, path)),
    ...(items ? openObjects(items, `${path}[]`) : []),
  ];
}
