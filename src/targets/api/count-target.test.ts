import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('countTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 counts the subscribers that the target selects', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7)
      select 's' || i || '@example.org', i % 3 % 2 from generate_series(1, 30) i`);
    const id = await create({ pctSelect: 33 });
    expect(await t.call('GET', `/targets/${id}/count`, { as: 'reader' })).toMatchObject({
      status: 200,
      data: 10,
      typeName: 'Int32',
    });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    expect((await t.call('GET', `/targets/${id}/count`)).data).toBe(7);
  });

  it('409 when a field has changed since so that the filter means nothing left', async () => {
    const field = sql`insert into ${t.db.t.field} (id, name, field_type) values (101, 'Points', 'Integer')`;
    await t.db.run(field);
    const id = await create();
    const filters = [{ idField: 101, operator: 'Greater', value: '5' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    await t.db.run(sql`update ${t.db.t.field} set field_type = 'Boolean' where id = 101`);
    expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({
      status: 409,
      error: expect.stringContaining('compares field 101 by Greater'),
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
