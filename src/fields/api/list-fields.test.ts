import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import type { Field } from '../field.ts';
import { fieldsOperations } from '../operations.ts';

describe('listFields', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: fieldsOperations });
    await t.call('POST', '/fields', {
      body: { name: 'Size', fieldType: 'List', list: [{ key: 1, value: 'S' }] },
    });
  });
  afterAll(() => t.close());

  it('200 lists system and custom fields by id', async () => {
    const { status, typeName, data } = await t.call('GET', '/fields', { as: 'reader' });
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'Field[]' });
    const fields: Field[] = data;
    expect(fields.map(({ id }) => id)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 21, 22, 37, 40, 41, 42, 43, 44, 45, 101,
    ]);
    expect(fields[1]).toMatchObject({ id: 1, fieldType: 'Text', length: 254, list: null, isSystem: true });
    expect(fields.at(-1)).toMatchObject({ isSystem: false, list: [{ key: 1, value: 'S' }], length: null });
  });

  it.each([
    ['Unspecified', 20],
    ['Boolean', 1],
    ['List', 1],
    ['Date', 5],
  ])('200 type=%s keeps %d fields', async (type, count) => {
    const { data } = await t.call('GET', '/fields', { query: { type } });
    expect(data).toHaveLength(count);
  });

  it('400 names an unknown type', async () => {
    const { status, error } = await t.call('GET', '/fields', { query: { type: 'Number' } });
    expect({ status, error }).toEqual({
      status: 400,
      error: 'type: must be one of Unspecified, Text, Integer, Date, List, Boolean',
    });
  });

  it("200 shows nothing of another site's fields", async () => {
    const { data } = await t.call('GET', '/fields', { site: 'other', as: 'admin' });
    expect(data).toHaveLength(19);
  });
});
