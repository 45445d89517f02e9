import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { fieldsOperations } from '../operations.ts';

describe('modifyField', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: fieldsOperations });
  });
  afterAll(() => t.close());

  const modify = (body: unknown) => t.call('PUT', '/fields', { body, as: 'editor' });
  const create = async (body: unknown): Promise<number> =>
    ((await t.call('POST', '/fields', { body })).data as { id: number }).id;

  it('200 changes only the members that are given', async () => {
    const id = await create({ name: 'City', fieldType: 'Text', length: 80, description: 'Where' });
    const reply = await modify({ id, name: 'Town', isVisible: false });
    expect(reply).toMatchObject({ status: 200, typeName: 'Field' });
    expect(reply.data).toMatchObject({
      id,
      name: 'Town',
      length: 80,
      description: 'Where',
      isVisible: false,
    });
    const read = await t.call('GET', '/fields/by-ids', { query: { idFields: id } });
    expect(read.data).toEqual([reply.data]);
    expect((await modify(reply.data)).data).toEqual(reply.data);
  });

  it('200 with null changes nothing', async () => {
    const id = await create({ name: 'City', fieldType: 'Text', length: 80, description: 'Where' });
    const nothing = { fieldType: null, length: null, list: null, description: null, isSystem: null };
    const flags = { isVisible: null, isEditable: null, isHiddenByCustomer: null };
    const reply = await modify({ id, name: null, ...nothing, ...flags });
    expect(reply).toMatchObject({ status: 200, data: { name: 'City', length: 80, description: 'Where' } });
    expect((await modify({ id, description: '' })).data).toMatchObject({ description: '' });
  });

  it('200 with a new type empties the values', async () => {
    const id = await create({ name: 'Code', fieldType: 'Text', length: 80 });
    const column = raw(`fld${id}`);
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1, ${column}) values ('a@example.com', '12')`);
    expect((await modify({ id, name: 'Code', fieldType: 'Integer' })).data).toMatchObject({
      fieldType: 'Integer',
      length: null,
    });
    expect(await t.db.rows(sql`select ${column} as value from ${t.db.t.subscriber}`)).toEqual([
      { value: null },
    ]);
  });

  it('200 with null for an unknown id', async () => {
    expect(await modify({ id: 999, name: 'x', fieldType: 'Date' })).toMatchObject({
      status: 200,
      data: null,
      success: true,
    });
    expect(await modify({ id: 50, name: 'x' })).toMatchObject({ status: 200, data: null });
  });

  it('422 for a system field', async () => {
    expect(await modify({ id: 5, name: 'x', fieldType: 'Text' })).toMatchObject({
      status: 422,
      error: 'Field 5 (First origin) is a system field and cannot be modified',
    });
  });

  it('422 when the lists of all fields become too long together; shorter ones are always taken', async () => {
    const list = (from: number, length: number) =>
      Array.from({ length }, (_, n) => ({ key: from + n, value: `${n}`.padEnd(240, 'é') }));
    const ids = [];
    for (const name of ['l1', 'l2', 'l3'])
      ids.push(await create({ name, fieldType: 'List', list: list(0, 10_000) }));
    const refused = {
      status: 422,
      error: 'list: the lists of all fields of the site would take more than 16000000 bytes',
    };
    expect(
      await t.call('POST', '/fields', { body: { name: 'l4', fieldType: 'List', list: list(0, 10_000) } }),
    ).toMatchObject(refused);
    const few = await create({ name: 'l4', fieldType: 'List', list: list(0, 1_000) });
    expect(await modify({ id: few, list: list(0, 10_000) })).toMatchObject(refused);
    expect(await modify({ id: few, fieldType: 'Integer' })).toMatchObject({ status: 200 });
    expect(await modify({ id: ids[0], list: list(0, 9_999) })).toMatchObject({ status: 200 });
    for (const id of ids) expect(await modify({ id, fieldType: 'Integer' })).toMatchObject({ status: 200 });
  });

  it('400 names what a new type needs, and what is no member', async () => {
    const id = await create({ name: 'Born', fieldType: 'Date' });
    expect(await modify({ id, fieldType: 'List' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('list: '),
    });
    expect(await modify({ id, fieldType: 'Text' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('length: '),
    });
    expect(await modify({ id, isSystem: true })).toMatchObject({
      status: 400,
      error: expect.stringContaining('isSystem'),
    });
    expect(await modify({ name: 'x' })).toMatchObject({ status: 400, error: 'id: is required' });
    expect(await modify({ id, lenght: 3 })).toMatchObject({ status: 400, error: 'lenght: unknown member' });
  });

  it('409 rather than cut or lose values', async () => {
    const text = await create({ name: 'Word', fieldType: 'Text', length: 10 });
    const list = await create({
      name: 'Size',
      fieldType: 'List',
      list: [
        { key: 1, value: 'S' },
        { key: 2, value: 'L' },
      ],
    });
    const columns = raw(`fld${text}, fld${list}`);
    await t.db.run(
      sql`insert into ${t.db.t.subscriber} (fld1, ${columns}) values ('c@example.com', 'éàüö', 2)`,
    );
    expect(await modify({ id: text, length: 3 })).toMatchObject({
      status: 409,
      error: 'length: 1 subscriber holds values longer than 3 characters, up to 4; shorten them first',
    });
    expect(await modify({ id: text, length: 4 })).toMatchObject({ status: 200 });
    expect(await modify({ id: list, list: [{ key: 1, value: 'S' }] })).toMatchObject({
      status: 409,
      error:
        'list: 1 subscriber holds keys that the new list leaves out, most often 2; change these values first',
    });
    expect(await modify({ id: list, list: [{ key: 2, value: 'XL' }] })).toMatchObject({ status: 200 });
  });

  it('200 empties the values and leaves room for new fields, however often types were changed', async () => {
    const id = await create({ name: 'Often', fieldType: 'Integer' });
    const { subscriber } = t.db.t;
    // As after a thousand changes: PostgreSQL continues counting dropped columns.
    const [add, drop] = ['add', 'drop'].map((verb) =>
      Array.from({ length: 1_000 }, (_, n) => `${verb} column z${n}${verb === 'add' ? ' int' : ''}`).join(
        ', ',
      ),
    );
    await t.db.run(sql`alter table ${subscriber} ${raw(add!)}`);
    await t.db.run(sql`alter table ${subscriber} ${raw(drop!)}`);
    const used = () =>
      t.db.one(
        sql`select max(attnum) from pg_attribute where attrelid = ${`${t.db.site.schema}.subscriber`}::regclass`,
      );
    const before = await used();
    const column = raw(`fld${id}`);
    await t.db.run(sql`insert into ${subscriber} (fld1, ${column}) values ('often@example.com', 7)`);
    for (const fieldType of ['Boolean', 'Date', 'Integer']) {
      expect(await modify({ id, fieldType })).toMatchObject({ status: 200, data: { fieldType } });
    }
    expect(await used()).toEqual(before);
    const row = await t.db.one(
      sql`select ${column} as value from ${subscriber} where fld1 = 'often@example.com'`,
    );
    expect(row).toEqual({ value: null });
  });
});
