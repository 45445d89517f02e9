import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { forgetOldPeople, joinParts, type RunOfPeople } from '../import-people-store.ts';
import { forgetImportPeople } from '../tasks/forget-import-people.ts';

interface Page {
  readonly isRecorded: boolean;
  readonly people: readonly { readonly idSubscriber: number; readonly email: string }[];
  readonly next: number | null;
}

describe('listImportPeople', () => {
  let t: TestApp;
  let tester: ImportTester;
  beforeAll(async () => {
    ({ t, tester } = await importApp());
  });
  afterAll(() => t.close());
  afterEach(() => tester.clear());

  const list = (id: number, query: object) =>
    t.call('GET', `/imports/${id}/people`, { query: { kind: 'new', ...query }, as: 'reader' });
  const page = async (id: number, query: object = {}): Promise<Page> => {
    const { status, error, data } = await list(id, query);
    expect([status, error]).toEqual([200, null]);
    return data as Page;
  };
  const names = ({ people }: Page) => people.map(({ email }) => email.split('@')[0]).join(' ');
  const run = async (names: string, parameters = {}) => {
    const lines = names.split(' ').map((name) => name.replace(/^(.+):/, '$1@example.com;'));
    tester.put(`email;name\n${lines.join('\n')}\n`);
    const { id } = await tester.make(parameters);
    return tester.run(id);
  };
  const notRecorded = { isRecorded: false, people: [], next: null };

  it('200 lists the people of each kind, each once; the last row of an address counts', async () => {
    await tester.add('same@example.com', 'A');
    await tester.add('other@example.com', 'A');
    await tester.add('twice@example.com', 'A');
    const { id } = await run('new:A other:B twice:B same:A TWICE:A New:B two:A');
    const { typeName, data } = await list(id, { kind: 'new' });
    expect({ typeName, data }).toEqual({
      typeName: 'ImportPeople',
      data: {
        isRecorded: true,
        people: [
          { idSubscriber: 4, email: 'New@example.com' },
          { idSubscriber: 5, email: 'two@example.com' },
        ],
        next: null,
      },
    });
    expect(names(await page(id, { kind: 'changed' }))).toBe('other');
    expect(names(await page(id, { kind: 'unchanged' }))).toBe('same twice');
  });

  it('200 lists who is found and not written: a file of addresses alone, unknown ones left out', async () => {
    await tester.add('same@example.com', 'A');
    const columnMapping = [column(1, 'email')];
    const { id } = await run('same:A new:A', { columnMapping, insertEnabled: false });
    expect(await page(id)).toEqual({ isRecorded: true, people: [], next: null });
    expect(names(await page(id, { kind: 'changed' }))).toBe('');
    expect(names(await page(id, { kind: 'unchanged' }))).toBe('same');
  });

  it('200 pages by id over all parts, without people who were deleted since', async () => {
    const before = [65_533, 65_535, 65_536, 65_538, 200_000];
    for (const [i, id] of before.entries()) {
      await t.db.run(sql`
        insert into ${t.db.t.subscriber} (fld0, fld1) overriding system value
        values (${id}, ${`p${i}@example.com`})`);
    }
    const { id } = await run(before.map((_, i) => `p${i}:B`).join(' '));
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 in (65536, 200000)`);
    const pages: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const read: Page = await page(id, { kind: 'changed', limit: 2, after });
      pages.push(names(read));
      after = read.next;
    }
    expect(pages).toEqual(['p0 p1', 'p3']);
    expect(names(await page(id, { kind: 'changed', after: 65_535 }))).toBe('p3');
    expect(await page(id, { kind: 'changed', search: 'P3@' })).toMatchObject({
      people: [{ idSubscriber: 65_538 }],
      next: null,
    });
    expect(await page(id, { kind: 'changed', search: 'example', limit: 1, after: 65_533 })).toMatchObject({
      people: [{ idSubscriber: 65_535 }],
      next: 65_535,
    });
    expect(names(await page(id, { kind: 'new', search: 'p3@' }))).toBe('');
  });

  it('200 reads a part of the ranges for a page, and says where the next one begins', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1) overriding system value
      select i * 2, 'p' || i || '@example.com' from generate_series(1, 30) i`);
    const { id } = await run(Array.from({ length: 30 }, (_, i) => `p${i + 1}:B`).join(' '));
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 < 50`);
    expect(await page(id, { kind: 'changed', limit: 1 })).toEqual({ isRecorded: true, people: [], next: 40 });
    expect(await page(id, { kind: 'changed', limit: 1, after: 40 })).toMatchObject({
      people: [{ idSubscriber: 50 }],
      next: 50,
    });
  });

  it('200 knows the largest id', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1) overriding system value
      values (2147483646, 'p1@example.com'), (2147483647, 'p2@example.com')`);
    const { id } = await run('p1:B p2:B');
    const first = await page(id, { kind: 'changed', limit: 1 });
    expect([names(first), first.next]).toEqual(['p1', 2_147_483_646]);
    const second = await page(id, { kind: 'changed', limit: 1, after: first.next! });
    expect([names(second), second.next]).toEqual(['p2', 2_147_483_647]);
    expect(await page(id, { kind: 'changed', after: second.next! })).toMatchObject({
      people: [],
      next: null,
    });
  });

  it('200 lists the people of the last run, or of another one', async () => {
    const scheduled = await tester.schedule(
      {
        isRecurring: true,
        recurringInfos: { filenameTemplate: 'people.csv', frequencyUnits: 'Day', time: '02:30:00' },
      },
      { filename: 'people.csv' },
    );
    const logs: number[] = [];
    for (const name of ['first', 'second']) {
      tester.put(`email;name\n${name}@example.com;A\n`);
      logs.push((await tester.run(scheduled.id)).lastImportLog!.id);
    }
    expect(names(await page(scheduled.id))).toBe('second');
    expect(names(await page(scheduled.id, { log: logs[0] }))).toBe('first');
    expect(names(await page(scheduled.id, { log: logs[0], kind: 'unchanged' }))).toBe('');
    expect((await list(scheduled.id, { log: 999_999 })).error).toBe('log: Log not found');
    const { id } = await run('other:A');
    expect(await list(id, { log: logs[0] })).toMatchObject({ status: 404, error: 'log: Log not found' });
  });

  it('200 says that they are not recorded: before the end, in safe mode, and once it is deleted', async () => {
    const { id } = await tester.make({});
    expect(await page(id)).toEqual(notRecorded);
    await tester.add('known@example.com', 'A');
    const held = await run('known:B no', { safeMode: true });
    expect(held.lastImportLog).toMatchObject({ totalUpdates: 1, nbUpdates: 0 });
    expect(await page(held.id, { kind: 'unchanged' })).toEqual(notRecorded);
    const done = await run('new:A');
    expect((await page(done.id)).isRecorded).toBe(true);
    expect((await t.call('DELETE', `/imports/${done.id}`)).status).toBe(200);
    expect(await page(done.id)).toEqual(notRecorded);
  });

  it('200 keeps the same people when the steps of a run are joined, also twice', async () => {
    const { id } = await run('new:A');
    const of = await t.db.one<RunOfPeople>(sql`
      select id_import as "idImport", run from ${t.db.t.import_people} where id_import = ${id} limit 1`);
    await t.db.run(sql`
      insert into ${t.db.t.import_people} (id_import, run, kind, part, people) values
        (${id}, ${of.run}, 'unchanged', 0, '{[1,3),[5,6)}'), (${id}, ${of.run}, 'unchanged', 0, '{[3,5)}')`);
    const before = [await page(id), await page(id, { kind: 'unchanged' })];
    for (let times = 0; times < 2; times++) {
      await joinParts(t.db, of);
      expect([await page(id), await page(id, { kind: 'unchanged' })]).toEqual(before);
      expect(
        await t.db.values<string>(sql`
          select people::text from ${t.db.t.import_people} where id_import = ${id} and kind = 'unchanged'`),
      ).toEqual(['{[1,6)}']);
    }
  });

  it('200 forgets the people of runs that ended 400 days ago', async () => {
    const { id } = await run('new:A');
    const clear = () => forgetImportPeople.run(t.app, {}, new AbortController().signal);
    const age = (days: number) =>
      t.db.run(sql`
        update ${t.db.t.import_log} set ended_at = ${new Date(t.clock.now().getTime() - days * 86_400_000)}
        where id_import = ${id}`);
    await age(399);
    await clear();
    expect((await page(id)).isRecorded).toBe(true);
    await age(401);
    await clear();
    expect(await page(id)).toEqual(notRecorded);
  });

  it('200 forgets the oldest runs of a site that has recorded too much, and of deleted imports', async () => {
    const [old, young, deleted] = [await run('new:A'), await run('new:B'), await run('new:C')];
    await t.db.run(sql`
      update ${t.db.t.import_log} set ended_at = ended_at - interval '9 minutes' where id_import = ${old.id}`);
    await t.db.run(sql`update ${t.db.t.import} set is_deleted = true where id = ${deleted.id}`);
    const idsOf = () =>
      t.db.values<number>(sql`select distinct id_import from ${t.db.t.import_people} order by 1`);
    await forgetOldPeople(t.db, t.clock.now());
    expect(await idsOf()).toEqual(expect.arrayContaining([old.id, young.id]));
    expect(await idsOf()).not.toContain(deleted.id);
    const size = await t.db.value<number>(sql`
      select sum(pg_column_size(people))::int as n from ${t.db.t.import_people} where id_import <> ${old.id}`);
    await forgetOldPeople(t.db, t.clock.now(), size);
    expect(await idsOf()).toContain(young.id);
    expect(await idsOf()).not.toContain(old.id);
  });

  it('400 without a kind, or with one that does not exist; 404 for an unknown import', async () => {
    expect((await list(1, { kind: undefined })).status).toBe(400);
    expect((await list(1, { kind: 'rejected' })).status).toBe(400);
    expect((await list(999_999, {})).error).toBe('Import not found');
  });
});
