import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import type { TestApp } from '../testing/app.ts';
import { ExportTester } from '../testing/export-tester.ts';
import { column, type ImportTester, importApp } from '../testing/import-tester.ts';

let t: TestApp;
let imports: ImportTester;
let exports: ExportTester;
beforeAll(async () => {
  ({ t, tester: imports } = await importApp());
  exports = new ExportTester(t);
});
afterAll(() => t.close());

/** Texts as people paste them: spaces of all kinds around them, accents in both forms, marks of CSV. */
const text = fc
  .array(
    fc.constantFrom(
      ' ',
      '\u00a0',
      '\u2003',
      '\t',
      '\ufeff',
      'e\u0301',
      'é',
      'A\u030a',
      'x',
      ';',
      '"',
      '\n',
      '日',
      '👩‍👧',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** Returns the subscribers as the API shows them, by email. */
async function shown(): Promise<unknown[]> {
  const rows = await t.db.rows<{ id: number }>(
    sql`select fld0 as id from ${t.db.t.subscriber} order by fld1`,
  );
  const query = {
    'filter.by': 'IdSubscriber',
    'filter.idFields': [1, 101],
    'filter.values': rows.map(({ id }) => id),
  };
  const { data } = await t.call('GET', '/subscribers', { query });
  return (data as { fields: { idField: number; value: unknown }[] }[]).map(({ fields }) =>
    fields.map(({ idField, value }) => [idField, value]),
  );
}

it('values are the same over the API, in an export, and after its import; a space counts as empty', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), async (values) => {
      await t.db.run(sql`delete from ${t.db.t.subscriber}`);
      const body = values.map((value, i) => ({
        fields: [
          { idField: 1, value: `\u00a0 Reader${String(i).padStart(2, '0')}@Example.COM ` },
          { idField: 101, value },
        ],
      }));
      expect((await t.call('POST', '/subscribers', { body })).status).toBe(200);
      const before = await shown();
      const plain = (one: string) => one.trim().normalize('NFC');
      expect(before.map((fields) => (fields as unknown[][])[1]![1])).toEqual(
        values.map((value) => plain(value) || null),
      );
      const { bytes } = await exports.export({ idsFields: ['1', '101'], filename: 'people.csv' });
      await t.db.run(sql`delete from ${t.db.t.subscriber}`);
      const [head] = bytes.toString().split(/\r?\n/);
      const [email, name] = head!.split(';');
      imports.put(bytes, 'back.csv');
      const columnMapping = [column(1, email!), column(101, name!)];
      const { id } = await imports.make({ filename: 'back.csv', columnMapping });
      expect(await imports.run(id)).toMatchObject({
        importState: 'Completed',
        lastImportLog: { nbInserts: values.length, nbErrorRows: 0 },
      });
      expect(await shown()).toEqual(before);
    }),
    { numRuns: 15 },
  );
});
