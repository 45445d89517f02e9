import { describe, expect, it } from 'vitest';
import { adminOperation, siteOperation } from './operation.ts';
import { Closed, Id, Line, Query } from './schema.ts';

// The type checker runs over this file: each `@ts-expect-error` fails the build when the line below it compiles.
const Thing = Closed('Thing', { id: Id('target'), name: Line(20) });

const whole = siteOperation({
  id: 'getThing',
  method: 'GET',
  path: '/things/{idThing}',
  right: 'read',
  tag: 'Things',
  summary: 'Get a thing',
  params: Query({ idThing: Id('target') }),
  reply: Thing,
  handle: async ({ params }) => ({ id: params.idThing, name: 'one' }),
});

// @ts-expect-error the right is missing
siteOperation({ ...rest(), handle: async () => ({ id: 1, name: 'one' }) });

siteOperation({
  ...rest(),
  right: 'read',
  // @ts-expect-error the reply lacks a member
  handle: async () => ({ id: 1 }),
});

adminOperation({
  ...rest(),
  right: 'admin',
  // @ts-expect-error a member of the reply has another type
  handle: async () => ({ id: '1', name: 'one' }),
});

siteOperation({
  ...rest(),
  right: 'read',
  // @ts-expect-error no such parameter is declared
  handle: async ({ params }) => ({ id: params.idOther, name: 'one' }),
});

// @ts-expect-error an unknown right
siteOperation({ ...rest(), right: 'fly', handle: async () => ({ id: 1, name: 'one' }) });

function rest() {
  return {
    id: 'getThing',
    method: 'GET',
    path: '/things',
    tag: 'Things',
    summary: 'Get a thing',
    reply: Thing,
  } as const;
}

describe('operation', () => {
  it('keeps what was declared and adds its scope', () => {
    expect(whole).toMatchObject({ id: 'getThing', right: 'read', scope: 'site' });
  });
});
