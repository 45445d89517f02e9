import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { fieldsOperations } from '../operations.ts';

const listOf = (count: number) => Array.from({ length: count }, (_, key) => ({ key, value: `v${key}` }));

describe('createField', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: fieldsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/fields', { body, as: 'editor' });

  it('200 makes the first custom field 101 and the next one 102', async () => {
    const first = await create({ name: 'City', fieldType: 'Text', length: 80, description: 'Where' });
    expect(first).toMatchObject({ status: 200, typeName: 'Field' });
    expect(first.data).toEqual({
      id: 101,
      name: 'City',
      length: 80,
      list: null,
      fieldType: 'Text',
      description: 'Where',
      isSystem: false,
      isVisible: true,
      isEditable: true,
      isHiddenByCustomer: false,
    });
    expect((await create({ name: 'City', fieldType: 'Boolean' })).data).toMatchObject({
      id: 102,
      name: 'City',
    });
  });

  it('200 gives every type its real column', async () => {
    await create({ name: 'a', fieldType: 'Text', length: 1 });
    await create({ name: 'b', fieldType: 'Integer' });
    await create({ name: 'c', fieldType: 'Date' });
    await create({ name: 'd', fieldType: 'Boolean' });
    await create({ name: 'e', fieldType: 'List', list: [{ key: -1, value: "it's" }] });
    const columns = await t.db.rows(sql`
      select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = ${t.db.t.subscriber.text}::regclass and attname between 'fld103' and 'fld107'
      order by attname`);
    expect(columns).toEqual([
      { name: 'fld103', type: 'text' },
      { name: 'fld104', type: 'bigint' },
      { name: 'fld105', type: 'timestamp with time zone' },
      { name: 'fld106', type: 'boolean' },
      { name: 'fld107', type: 'integer' },
    ]);
  });

  it('200 for ten at once: ten ids, none twice', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create({ name: `n${i}`, fieldType: 'Integer' })),
    );
    const ids = replies.map(({ data }) => (data as { id: number }).id);
    expect(ids.sort()).toEqual([108, 109, 110, 111, 112, 113, 114, 115, 116, 117]);
  });

  it('200 takes what typed clients send for nothing', async () => {
    const nothing = { length: 10, list: [], description: null, isSystem: null, isVisible: null };
    const made = await create({ id: 0, name: 'Typed', fieldType: 'Text', ...nothing });
    expect(made).toMatchObject({ status: 200, data: { length: 10, list: null, isVisible: true } });
  });

  it.each([
    ['an id', { id: 101, name: 'a', fieldType: 'Date' }, 'id: is given by the service; omit it'],
    ['a system field', { name: 'a', fieldType: 'Date', isSystem: true }, 'isSystem: must be false'],
    ['no name', { fieldType: 'Date' }, 'name: is required'],
    ['no type', { name: 'a' }, 'fieldType: is required'],
    ['the type Unspecified', { name: 'a', fieldType: 'Unspecified' }, 'fieldType: must be one of'],
    ['an empty name', { name: '', fieldType: 'Date' }, 'name: '],
    ['a name of 256 characters', { name: 'n'.repeat(256), fieldType: 'Date' }, 'name: must have at most 255'],
    ['a line end in the name', { name: 'a\r\nb', fieldType: 'Date' }, 'name: holds characters'],
    ['a length of 10,001', { name: 'a', fieldType: 'Text', length: 10_001 }, 'length: must be at most 10000'],
    ['half a character', { name: 'a', fieldType: 'Text', length: 1.5 }, 'length: must be an integer'],
    ['a length below 0', { name: 'a', fieldType: 'Text', length: -1 }, 'length: must be at least 0'],
    [
      'a key as text',
      { name: 'a', fieldType: 'List', list: [{ key: '1', value: 'a' }] },
      'list[0].key: must be an',
    ],
    [
      'a key past 32 bits',
      { name: 'a', fieldType: 'List', list: [{ key: 2 ** 31, value: 'a' }] },
      'list[0].key: ',
    ],
    ['no value', { name: 'a', fieldType: 'List', list: [{ key: 1 }] }, 'list[0].value: is required'],
    [
      'a value of 256 characters',
      { name: 'a', fieldType: 'List', list: [{ key: 1, value: 'v'.repeat(256) }] },
      'list[0].value: must have at most 255',
    ],
    [
      '10,001 values',
      { name: 'a', fieldType: 'List', list: listOf(10_001) },
      'list: must have at most 10000',
    ],
    ['a long description', { name: 'a', fieldType: 'Date', description: 'd'.repeat(501) }, 'description: '],
    ['Text without length', { name: 'a', fieldType: 'Text' }, 'length: a Text field needs'],
    ['List without list', { name: 'a', fieldType: 'List' }, 'list: a List field needs'],
    [
      'a key twice',
      {
        name: 'a',
        fieldType: 'List',
        list: [
          { key: 1, value: 'a' },
          { key: 1, value: 'b' },
        ],
      },
      'list: the key 1',
    ],
    ['a system field', { name: 'a', fieldType: 'Date', isSystem: true }, 'isSystem: must be false'],
    ['a misspelt member', { name: 'a', fieldType: 'Date', isVisble: true }, 'isVisble: unknown member'],
  ])('400 %s', async (_, body, message) => {
    const { status, error } = await create(body);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
  });

  it('200 where columns that the table keeps free were used up, in front while they last', async () => {
    const before = await columns();
    const free = before.filter((name) => name.startsWith('free'));
    for (const _ of free) {
      for (const fieldType of ['Integer', 'Date', 'Boolean']) await create({ name: 'Many', fieldType });
      await create({ name: 'Many', fieldType: 'List', list: [{ key: 1, value: 'one' }] });
    }
    const after = await columns();
    const taken = after.slice(before.indexOf(free[0]!), before.indexOf(free.at(-1)!) + 1);
    expect(free.length).toBeGreaterThan(0);
    expect(taken.every((name) => /^fld1\d\d$/.test(name))).toBe(true);
    expect(after.length - before.length).toBe(4 * free.length - free.length);
  });
  const columns = async () => {
    const rows = await t.db.rows<{ name: string }>(sql`
      select attname as name from pg_attribute
      where attrelid = ${`${t.db.site.schema}.subscriber`}::regclass and attnum > 0 and not attisdropped
      order by attnum`);
    return rows.map(({ name }) => name);
  };

  it('200 takes what is just within the rules', async () => {
    const given = {
      name: 'n'.repeat(255),
      description: 'd'.repeat(500),
      fieldType: 'List',
      list: listOf(10_000),
      isSystem: false,
      isVisible: false,
      isEditable: false,
      isHiddenByCustomer: true,
    };
    const { data } = await create(given);
    expect(data).toMatchObject(given);
    expect((await create({ name: 'a', fieldType: 'Text', length: 10_000 })).data).toMatchObject({
      length: 10_000,
    });
  });

  it('200 takes names of 255 characters, emoji and SQL alike', async () => {
    for (const name of ['n'.repeat(255), '🏠', `a"; drop table subscriber; --`, '=1+1'])
      expect((await create({ name, fieldType: 'Date' })).data).toMatchObject({ name });
  });

  it('409 while a long change holds the subscribers', async () => {
    await t.db.transaction(async (tx) => {
      await tx.run(sql`lock table ${tx.t.subscriber} in access share mode`);
      expect(await create({ name: 'a', fieldType: 'Date' })).toMatchObject({
        status: 409,
        error: expect.stringContaining('busy'),
      });
    });
    expect((await create({ name: 'a', fieldType: 'Date' })).status).toBe(200);
  });

  it('403 for a reader', async () => {
    const { status } = await t.call('POST', '/fields', {
      body: { name: 'a', fieldType: 'Date' },
      as: 'reader',
    });
    expect(status).toBe(403);
  });

  it('422 past the quota of 50, even when several come at once for the last one', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.field} (id, name, field_type)
      select n, 'n', 'Date' from generate_series(1 + (select max(id) from ${t.db.t.field}), 149) n`);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => create({ name: 'last', fieldType: 'Date' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
    expect(replies.find(({ status }) => status === 200)).toMatchObject({ data: { id: 150 } });
    expect(await create({ name: 'more', fieldType: 'Date' })).toMatchObject({
      status: 422,
      error: 'All 50 custom fields of the quota are in use',
    });
  });
});
