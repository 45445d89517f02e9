import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { customFields } from '../../testing/custom-fields.ts';
import { column, ImportTester } from '../../testing/import-tester.ts';
import { until } from '../../testing/until.ts';
import type { Field } from '../field.ts';
import { holdFields } from '../field-store.ts';

/** Records that use a field whose type changes continue with the new type, or report that they cannot. */
describe('modifyField, of a field in use', () => {
  let t: TestApp;
  const list = [{ key: 9, value: 'x' }];
  const types = [
    { fieldType: 'Text', length: 20 },
    { fieldType: 'Integer' },
    { fieldType: 'Date' },
    { fieldType: 'Boolean' },
    { fieldType: 'List', list },
  ] as const;
  const values = { Text: 'text', Integer: 7, Date: '2026-01-31T08:30:00.000Z', Boolean: true, List: 9 };

  beforeAll(async () => {
    t = await testApp();
    for (const { name, fieldType, length, list } of customFields)
      await t.call('POST', '/fields', { body: { name, fieldType, length, list } });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber} restart identity`);
    for (const field of customFields) await modify(field);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld101, fld102, fld103, fld104, fld105)
      values ('a@example.com', 'a', 7, now(), true, 1)`);
  });
  const modify = async (body: Partial<Field>) => {
    const reply = await t.call('PUT', '/fields', { body });
    expect([reply.status, reply.error]).toEqual([200, null]);
  };
  const shownValue = async (id: number) => {
    const query = { 'filter.by': 'IdSubscriber', 'filter.values': 1, 'filter.idFields': id };
    const { data } = await t.call('GET', '/subscribers', { query });
    return (data as { fields: { value: unknown }[] }[])[0]!.fields[0]!.value;
  };

  it('every type becomes every other: empty at first, and then a field of its new type', async () => {
    for (const { id } of customFields) {
      for (const type of types) {
        const before = (
          (await t.call('GET', '/fields/by-ids', { query: { idFields: id } })).data as Field[]
        )[0]!;
        await modify({ id, ...(type as Partial<Field>) });
        const isSame = before.fieldType === type.fieldType;
        if (!isSame) expect([id, type.fieldType, await shownValue(id)]).toEqual([id, type.fieldType, null]);
        const value = values[type.fieldType];
        const written = await t.call('PUT', '/subscribers', {
          body: [{ id: 1, fields: [{ idField: id, value }] }],
        });
        expect([id, type.fieldType, written.status, written.error]).toEqual([id, type.fieldType, 200, null]);
        expect(await shownValue(id)).toEqual(value);
      }
    }
  });

  it.each([
    [101, 'Contains', 'a'],
    [102, 'Greater', '5'],
    [102, 'In', '5;7'],
    [103, 'LastDays', '5'],
    [103, 'Less', '2026-01-01'],
    [104, 'Equal', 'true'],
    [105, 'In', '1;2'],
    [105, 'NotEqual', '-3'],
    [101, 'HasValue', null],
  ] as const)(
    'a target on field %d by %s selects by the new type, or says 409 why not',
    async (id, operator, value) => {
      for (const type of types) {
        const made = await t.call('POST', '/targets', { body: { name: 'x' } });
        const idTarget = (made.data as { id: number }).id;
        const filter = { idTarget, isEnabled: true, filters: [{ idField: id, operator, value }] };
        expect((await t.call('PUT', '/targets/filters/field', { body: filter })).status).toBe(200);
        await modify({ id, ...(type as Partial<Field>) });
        const counted = await t.call('GET', `/targets/${idTarget}/count`);
        const said = `${id} ${operator} as ${type.fieldType}: ${counted.status} ${counted.error}`;
        expect([200, 409], said).toContain(counted.status);
        if (counted.status === 409)
          expect(counted.error).toContain(`compares field ${id} by ${operator}, which`);
        expect((await t.call('GET', `/targets/${idTarget}/description`)).status, said).toBe(200);
        await modify(customFields.find((field) => field.id === id)!);
      }
    },
  );

  it('an import that waits goes by the type at its start', async () => {
    const tester = new ImportTester(t);
    tester.put('email;points\na@example.com;seven\n');
    const columnMapping = [column(1, 'email'), column(102, 'points')];
    const { id } = await tester.make({ columnMapping });
    await modify({ id: 102, fieldType: 'Text', length: 20 });
    expect(await tester.run(id)).toMatchObject({ importState: 'Completed', lastImportLog: { nbUpdates: 1 } });
    expect(await shownValue(102)).toBe('seven');
  });

  it('409 rather than lose a key that a writer has checked and not yet written', async () => {
    await modify(customFields[4]!);
    const changing = await t.db.transaction(async (tx) => {
      await holdFields(tx);
      const change = t.call('PUT', '/fields', { body: { id: 105, list: [{ key: 1, value: 'Paris' }] } });
      const waits = until(async () => {
        const { n } = await t.db.one<{ n: number }>(sql`
          select count(*)::int as n from pg_locks
          where relation = ${`${t.db.site.schema}.subscriber`}::regclass and not granted`);
        return n > 0;
      }, 'the change waits for the writer');
      await Promise.race([waits, change]);
      await tx.run(sql`update ${tx.t.subscriber} set fld105 = 2 where fld0 = 1`);
      return { change };
    });
    expect(await changing.change).toMatchObject({ status: 409, error: expect.stringContaining('list: ') });
  });

  it('409 rather than lose a key that a subscriber got a moment before', async () => {
    const shorter = [{ key: 1, value: 'Paris' }];
    for (let round = 0; round < 5; round++) {
      await modify(customFields[4]!);
      const [written, changed] = await Promise.all([
        t.call('PUT', '/subscribers', { body: [{ id: 1, fields: [{ idField: 105, value: 2 }] }] }),
        t.call('PUT', '/fields', { body: { id: 105, list: shorter } }),
      ]);
      const wasFirst = written.status === 200;
      expect([wasFirst, changed.status]).toEqual(wasFirst ? [true, 409] : [false, 200]);
      await t.call('PUT', '/subscribers', { body: [{ id: 1, fields: [{ idField: 105, value: 1 }] }] });
    }
  });
});
