import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { fieldsOperations } from '../operations.ts';

describe('getFieldQuota', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: fieldsOperations });
  });
  afterAll(() => t.close());

  it('200 counts custom fields only', async () => {
    const empty = await t.call('GET', '/fields/quota', { as: 'reader' });
    expect(empty).toMatchObject({
      status: 200,
      typeName: 'FieldQuota',
      data: { quota: 50, nbSpecificFields: 0, nbRemainingFields: 50 },
    });
    await t.call('POST', '/fields', { body: { name: 'Born', fieldType: 'Date' } });
    const { data } = await t.call('GET', '/fields/quota');
    expect(data).toEqual({ quota: 50, nbSpecificFields: 1, nbRemainingFields: 49 });
  });

  it('200 leaves none where there are more than the quota', async () => {
    const other = await testApp({ operations: fieldsOperations, config: { fieldQuota: 1 } });
    await other.db.run(sql`
      insert into ${other.db.t.field} (id, name, field_type) values (101, 'Born', 'Date'), (102, 'Died', 'Date')`);
    expect((await other.call('GET', '/fields/quota')).data).toEqual({
      quota: 1,
      nbSpecificFields: 2,
      nbRemainingFields: 0,
    });
    await other.close();
  });

  it('200 follows the quota of the installation, even where it was lowered', async () => {
    for (const [fieldQuota, nbRemainingFields, status] of [
      [2, 1, 200],
      [1, 0, 422],
    ] as const) {
      const other = await testApp({ operations: fieldsOperations, config: { fieldQuota } });
      await other.call('POST', '/fields', { body: { name: 'Born', fieldType: 'Date' } });
      expect((await other.call('GET', '/fields/quota')).data).toEqual({
        quota: fieldQuota,
        nbSpecificFields: 1,
        nbRemainingFields,
      });
      const second = await other.call('POST', '/fields', { body: { name: 'Died', fieldType: 'Date' } });
      expect(second.status).toBe(status);
      await other.close();
    }
  });
});
