import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { Selection } from '../targets/selection.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeTarget } from '../testing/campaign-makers.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { openRows } from './export-rows.ts';
import { exportSettings } from './export-settings.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld101)
    select i || '@example.com', 'before' from generate_series(1, 50000) i`);
});
afterAll(() => t.close());

const settings = (idTarget: number) =>
  exportSettings({
    idTarget,
    idsFields: ['0', '101'],
    idsEncodeFields: [],
    encoding: 'None',
    typeList: 'ID',
  });

const select = <T>(work: (selection: Selection) => Promise<T>) =>
  Selection.select(
    { app: t.app, db: t.db, at: t.clock.now(), reader: 'task', limitMs: 60_000, keepsSnapshot: true },
    work,
  );

test('the rows are those of one moment, whatever is written while they are read', async () => {
  const idTarget = await makeTarget(t.db, { isSafe: false });
  const csv = await select(async (selection) => {
    const { rows } = await openRows(selection, settings(idTarget));
    await t.db.run(sql`update ${t.db.t.subscriber} set fld101 = 'after'`);
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 % 2 = 0`);
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values ('late@example.com')`);
    return text(rows);
  });
  const expected = Array.from({ length: 50_000 }, (_, i) => `${i + 1};before\n`).join('');
  expect(csv === expected).toBe(true);
});

test('what the transaction does once the target is evaluated changes nothing', async () => {
  const idTarget = await makeTarget(t.db);
  const written = select(async (selection) => {
    const { tx } = selection;
    const { rows } = await openRows(selection, settings(idTarget));
    await text(rows);
    await tx.run(sql`update ${tx.t.subscriber} set fld101 = 'x'`);
  });
  await expect(written).rejects.toThrow('read-only transaction');
});
