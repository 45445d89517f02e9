import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { fieldsOperations } from '../operations.ts';

describe('getFieldsByIds', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: fieldsOperations });
  });
  afterAll(() => t.close());

  it('200 answers in the order asked, with null for an unknown id', async () => {
    const reply = await t.call('GET', '/fields/by-ids', {
      query: { idFields: [7, 999, 0, 7] },
      as: 'reader',
    });
    expect(reply).toMatchObject({ status: 200, typeName: 'Field[]' });
    expect((reply.data as ({ id: number } | null)[]).map((field) => field?.id ?? null)).toEqual([
      7,
      null,
      0,
      7,
    ]);
  });

  it('200 takes no ids for no fields', async () => {
    expect((await t.call('GET', '/fields/by-ids', { query: { idFields: '' } })).data).toEqual([]);
  });

  it.each([
    [{}, 'idFields: is required'],
    [{ idFields: 'x' }, 'idFields[0]: must be an integer'],
    [{ idFields: '2147483648' }, 'idFields[0]: must be at most 2147483647'],
    [
      { idFields: Array.from({ length: 1001 }, (_, i) => i).join(',') },
      'idFields: must have at most 1000 items',
    ],
  ])('400 %j', async (query, error) => {
    expect(await t.call('GET', '/fields/by-ids', { query })).toMatchObject({ status: 400, error });
  });
});
