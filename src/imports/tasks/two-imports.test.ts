import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { base, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { until } from '../../testing/until.ts';
import { findImport, insertImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let tester: ImportTester;
let holds: ImportHolds;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  await addCustomFields(t.otherDb);
  holds = await ImportHolds.install(t);
});
afterAll(() => t.close());
afterEach(async () => {
  await tester.clear();
  await holds.forgetWritten();
});

const fileOf = (from: number, to: number, name: string) =>
  `email;name\n${Array.from({ length: to - from }, (_, i) => `u${from + i}@example.com;${name}\n`).join('')}`;

async function make(filename: string, content: string): Promise<number> {
  tester.put(content, filename);
  return (await tester.make({ filename })).id;
}
const progression = async (id: number) =>
  (await t.db.one<{ nb: number }>(sql`select progression as nb from ${t.db.t.import} where id = ${id}`)).nb;

describe('two imports of one site at once', () => {
  test('with other rows both end, and each row is written once', async () => {
    const ids = [await make('a.csv', fileOf(0, 3_000, 'a')), await make('b.csv', fileOf(3_000, 6_000, 'b'))];
    const logs = (await Promise.all(ids.map((id) => tester.run(id)))).map((one) => one.lastImportLog!);
    expect(logs.map((log) => log.nbInserts)).toEqual([3_000, 3_000]);
    expect(await holds.written()).toEqual({ times: 6_000, people: 6_000 });
  });

  test('with overlapping rows end as if one came after the other', async () => {
    await tester.add('u0@example.com', 'before');
    await holds.forgetWritten();
    const ids = [await make('a.csv', fileOf(0, 2_000, 'a')), await make('b.csv', fileOf(1_000, 3_000, 'b'))];
    const logs = (await Promise.all(ids.map((id) => tester.run(id)))).map((one) => one.lastImportLog!);
    const names = await t.db.rows<{ name: string; nb: number }>(
      sql`select fld101 as name, count(*) as nb from ${t.db.t.subscriber} group by 1 order by 1`,
    );
    // The rows of both have the values of the later one, all of them.
    const laterIsA = names.some(({ name, nb }) => name === 'a' && nb === 2_000);
    expect(names).toEqual([
      { name: 'a', nb: laterIsA ? 2_000 : 1_000 },
      { name: 'b', nb: laterIsA ? 1_000 : 2_000 },
    ]);
    const sum = (of: 'nbInserts' | 'nbUpdates') => logs.reduce((all, log) => all + log[of], 0);
    expect({ inserts: sum('nbInserts'), updates: sum('nbUpdates') }).toEqual({
      inserts: 2_999,
      updates: 1_001,
    });
    expect(await holds.written()).toEqual({ times: 4_000, people: 3_000 });
  });

  test('read side by side: the second is read while the first merges, and waits only with its own merge', async () => {
    await tester.add('u0@example.com', 'before');
    const first = await make('a.csv', fileOf(0, 2_000, 'a'));
    const second = await make('b.csv', fileOf(0, 2_000, 'b'));
    const hold = await holds.update(1);
    const running = [tester.run(first)];
    await hold.reached();
    running.push(tester.run(second));
    await until(async () => (await progression(second)) === 40, 'the second file is read');
    expect(await progression(first)).toBe(60);
    await hold.letGo();
    const logs = (await Promise.all(running)).map((one) => one.lastImportLog!);
    expect(logs.map(({ nbUpdates, nbInserts }) => [nbUpdates, nbInserts])).toEqual([
      [1, 1_999],
      [2_000, 0],
    ]);
  });
});

describe('while an import merges', () => {
  test('callers of the API add, change and delete subscribers of other rows', async () => {
    await tester.add('u0@example.com', 'before');
    await tester.add('other@example.com', 'before');
    await tester.add('gone@example.com', 'before');
    const id = await make('a.csv', fileOf(0, 2_000, 'a'));
    const hold = await holds.update(1);
    const running = tester.run(id);
    await hold.reached();
    const value = (email: string) => [{ fields: [{ idField: 1, value: email }] }];
    const replies = [
      await t.call('POST', '/subscribers', { body: value('new@example.com') }),
      await t.call('PUT', '/subscribers', {
        body: [{ id: 2, fields: [{ idField: 101, value: 'changed' }] }],
      }),
      await t.call('DELETE', '/subscribers', { query: { idSubscribers: [3] } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    await hold.letGo();
    expect((await running).lastImportLog).toMatchObject({ nbUpdates: 1, nbInserts: 1_999 });
    const others = await t.db.rows(sql`
      select fld1 as email, fld101 as name from ${t.db.t.subscriber} where fld1 !~ '^u' order by 1`);
    expect(others).toEqual([
      { email: 'new@example.com', name: null },
      { email: 'other@example.com', name: 'changed' },
    ]);
  });

  test('an import of another site ends', async () => {
    await tester.add('u0@example.com', 'before');
    const id = await make('a.csv', fileOf(0, 2_000, 'a'));
    const hold = await holds.update(1);
    const running = tester.run(id);
    await hold.reached();
    const folder = siteFolderPath(t.dataDir, t.otherDb.site.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'people.csv'), fileOf(0, 100, 'other'));
    const at = t.clock.now();
    const other = await insertImport(t.otherDb, {
      idUser: 1,
      author: 'Eve',
      parameters: base,
      scheduledAt: at,
      at,
    });
    const payload = { idSite: t.otherDb.site.id, idImport: other.id, run: 1 };
    await runImport.run(t.app, payload, new AbortController().signal);
    expect((await findImport(t.otherDb, other.id))!.lastImportLog).toMatchObject({ nbInserts: 100 });
    expect((await findImport(t.db, id))!.importState).toBe('InProgress');
    await hold.letGo();
    await running;
  });
});

describe('listImports', () => {
  test('shows a progression that rises while a run continues', async () => {
    await tester.add('u0@example.com', 'before');
    // More rows than we and the sockets between can buffer, while the first row waits.
    const id = await make('a.csv', fileOf(0, 60_000, 'x'.repeat(250)));
    const shown = async () => {
      const { data } = await t.call('GET', '/imports', {
        query: { 'filter.sortBy': 'ID', 'filter.order': 'DESC' },
      });
      const { items } = data as {
        items: { progression: string; importState: string; endDate: string | null }[];
      };
      return items[0]!;
    };
    const percent = async () => Number.parseInt((await shown()).progression, 10);
    const points = [
      await holds.staging(),
      await holds.merge(),
      await holds.update(1),
      // In a later step.
      await holds.insert('u50000@example.com'),
    ];
    const seen: number[] = [];
    const running = tester.run(id);
    for (const [i, hold] of points.entries()) {
      await hold.reached();
      const before = seen.at(-1) ?? 0;
      await until(async () => (await percent()) > before, `the progression rises above ${before}`);
      if (i === 0) expect(await shown()).toMatchObject({ importState: 'InProgress', endDate: null });
      seen.push(await percent());
      await hold.letGo();
    }
    await running;
    seen.push(await percent());
    expect(seen[0]).toBeGreaterThan(0);
    expect(seen[0]).toBeLessThan(40);
    expect(seen.slice(1, 3)).toEqual([40, 60]);
    expect(seen[3]).toBeLessThan(100);
    expect(seen[4]).toBe(100);
  });
});
