import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import type { Operation, Right } from './platform/http/operation.ts';
import { forbidden, notOfAllSites } from './platform/http/refusal.ts';
import { type TestApp, type TestRole, testApp } from './testing/app.ts';

/** The weakest role that has a right, and one that lacks it. */
const roleWith: Record<Right, TestRole> = { read: 'reader', write: 'editor', send: 'sender', admin: 'admin' };
const roleWithout: Partial<Record<Right, TestRole>> = { write: 'reader', send: 'editor', admin: 'sender' };

const ofSites = operations.filter((operation) => operation.scope === 'site');

/** One walk over every operation that exists: what is added is covered the day it is added. */
describe('access to every operation', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const named = (of: readonly Operation[]) => of.map((operation) => [operation.id, operation] as const);
  const pathOf = (operation: Operation) =>
    `${operation.scope === 'admin' ? '/admin/v1' : ''}${operation.path.replaceAll(/\{\w+\}/g, '1')}`;

  it.each(named(operations))('401 %s without a token', async (_id, operation) => {
    expect((await t.call(operation.method, pathOf(operation), { as: null })).status).toBe(401);
  });

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
    expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument(operations, version))));
  });
});

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
