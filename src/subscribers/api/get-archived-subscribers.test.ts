import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOperations } from '../../fields/operations.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { Hold } from '../../testing/hold.ts';
import { subscribersOperations } from '../operations.ts';
import type { Subscriber } from '../subscriber.ts';

describe('getArchivedSubscribers', () => {
  let t: TestApp;
  let before: Subscriber;
  beforeAll(async () => {
    t = await testApp({ operations: [...fieldsOperations, ...subscribersOperations] });
    await addCustomFields(t.db);
    // Another zone than UTC, with the seconds that old instants have in it, must not move a date.
    await t.app.control.run(sql`select set_config('TimeZone', 'Europe/Paris', false)`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld8, fld43, fld101, fld102, fld103, fld104, fld105) values
        ('Anna@example.com', 1, 9007199254740993, 'Zoé', 9223372036854775807, '0001-01-01 00:00:00.5Z', true, 2),
        ('ben@example.com', null, null, null, null, null, null, null)`);
    const { data } = await t.call('GET', '/subscribers', {
      query: { 'filter.by': 'IdSubscriber', 'filter.values': 1 },
    });
    before = (data as Subscriber[])[0]!;
    await t.call('DELETE', '/subscribers', { body: [1] });
  });
  afterAll(() => t.close());

  const get = (query: Record<string, string | readonly (string | number)[]>) =>
    t.call('GET', '/subscribers/archived', { query, as: 'reader' });

  it('200 shows a deleted subscriber as it was, to the last digit', async () => {
    const reply = await get({ 'filter.by': 'IdSubscriber', 'filter.values': '1' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Subscriber[]', data: [before] });
    expect(before.fields).toContainEqual({ idField: 103, value: '0001-01-01T00:00:00.500Z' });
  });

  it.each([
    ['IdSubscriber', 'None', ['2', '1'], [null, 1]],
    ['IdClient', 'None', ['9007199254740993', '5'], [1, null]],
    ['Email', 'None', ['anna@example.com', 'ben@example.com'], [1, null]],
    ['Email', 'SHA1', [createHash('sha1').update('anna@example.com').digest('hex')], [1]],
    ['Unspecified', 'None', ['anna@example.com', '1'], [1, 1]],
  ])('200 by %s and %s', async (by, encoding, values, ids) => {
    const query = {
      'filter.by': by,
      'filter.emailEncoding': encoding,
      'filter.values': values,
      'filter.idFields': [101],
    };
    const { data } = await get(query);
    expect(data).toEqual(ids.map((id) => id && { id, fields: [{ idField: 101, value: 'Zoé' }] }));
  });

  it('200 shows the latest of an address that was deleted twice', async () => {
    const { data } = await t.call('POST', '/subscribers', {
      body: [{ fields: [{ idField: 1, value: 'anna@example.com' }] }],
    });
    const { id } = (data as Subscriber[])[0]!;
    await t.call('DELETE', '/subscribers', { body: [id] });
    const again = await get({
      'filter.by': 'Email',
      'filter.values': 'ANNA@example.com',
      'filter.idFields': '0',
    });
    expect(again.data).toEqual([{ id, fields: [{ idField: 0, value: id }] }]);
  });

  it('200 shows no value of a field that has another type since; the archive is not written for it', async () => {
    const idsFields = [101, 102];
    const archived = async (name: string, points: unknown): Promise<number> => {
      const values = [`${name}@example.com`, name, points].map((value, n) => ({
        idField: [1, ...idsFields][n],
        value,
      }));
      const made = await t.call('POST', '/subscribers', { body: [{ fields: values }] });
      const { id } = (made.data as Subscriber[])[0]!;
      expect((await t.call('DELETE', '/subscribers', { body: [id] })).data).toEqual([id]);
      return id;
    };
    const shown = async (...ids: number[]) =>
      (
        (await get({ 'filter.by': 'IdSubscriber', 'filter.values': ids, 'filter.idFields': idsFields }))
          .data as Subscriber[]
      ).map(({ fields }) => fields.map(({ value }) => value));
    const modify = (body: object) => t.call('PUT', '/fields', { body });
    const before = await archived('before', 7);
    // Another transaction has locked the rows: writing them would wait, and be refused.
    const hold = await Hold.of(
      t.connection,
      `select from ${t.db.site.schema}.archived_subscriber for update`,
    );
    expect((await modify({ id: 102, fieldType: 'Text', length: 20 })).error).toBe(null);
    await hold.letGo();
    const between = await archived('between', 'seven');
    expect(await shown(before, between)).toEqual([
      ['before', null],
      ['between', 'seven'],
    ]);
    expect((await modify({ id: 102, description: 'No new type' })).error).toBe(null);
    expect((await modify({ id: 101, name: 'First name' })).error).toBe(null);
    expect(await shown(before, between)).toEqual([
      ['before', null],
      ['between', 'seven'],
    ]);
    // Back to the type that it had: the values that it had do not come back.
    expect((await modify({ id: 102, fieldType: 'Integer' })).error).toBe(null);
    const after = await archived('after', 8);
    expect(await shown(before, between, after)).toEqual([
      ['before', null],
      ['between', null],
      ['after', 8],
    ]);
  });

  it('400 names what is wrong', async () => {
    expect(await get({ 'filter.by': 'Email' })).toMatchObject({
      status: 400,
      error: 'filter.values: is required',
    });
  });
});
