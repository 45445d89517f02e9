import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeField } from '../../fields/field.ts';
import { insertField } from '../../fields/field-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { measuredWork } from '../../testing/programs.ts';
import { findExport } from '../export-store.ts';
import { exportsOperations } from '../operations.ts';

/** Memory that an export may take, in MB; the process itself, with its compiler, takes about 130 of it. */
const maxMb = 256;
const rows = 40_000;
const wide = 10_000;

let t: TestApp;
let tester: ExportTester;
beforeAll(async () => {
  t = await testApp({ operations: exportsOperations });
  tester = new ExportTester(t);
  await insertField(t.db, 1, (id) => makeField(id, { name: 'Wide', fieldType: 'Text', length: wide }));
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld101)
    select i || '@example.com', repeat('é', ${wide}::int) from generate_series(1, ${rows}::int) i`);
});
afterAll(() => t.close());

test('an export of several times its bound of memory is written in that bound', async () => {
  const idExport = await tester.create({ idsFields: ['1', '101'], codePage: 1252 });
  const { peakMb } = await measuredWork(t, { export: idExport });
  expect((await findExport(t.db, idExport))?.state).toBe('COMPLETED');
  // One byte a letter in the file, two on the way to it.
  expect(statSync(join(tester.folder, 'people.csv')).size).toBeGreaterThan(rows * wide);
  expect(rows * wide).toBeGreaterThan(1.4 * maxMb * 2 ** 20);
  expect(peakMb).toBeLessThan(maxMb);
}, 180_000);
