import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import type { Hold } from '../../testing/hold.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { type ImportTester, importApp } from '../../testing/import-tester.ts';
import { findImport } from '../import-store.ts';

let t: TestApp;
let tester: ImportTester;
let holds: ImportHolds;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  holds = await ImportHolds.install(t);
});
afterAll(() => t.close());
afterEach(async () => {
  await tester.clear();
  await holds.forgetWritten();
});

const rows = 3_000;
const file = `email;name\n${Array.from({ length: rows }, (_, i) => `u${i}@example.com;after`).join('\n')}\n`;

/** An import of the file, of whose people the first two are known. */
async function make(): Promise<number> {
  await tester.add('u0@example.com', 'before');
  await tester.add('u1@example.com', 'before');
  await holds.forgetWritten();
  tester.put(file);
  return (await tester.make({})).id;
}
const pause = (id: number) => t.call('POST', `/imports/${id}/pause`);
const stateOf = async (id: number) => (await findImport(t.db, id))!.importState;

/** State before the import, and after a complete one, with each row once. */
const untouched = { people: 2, names: ['before'], written: { times: 0, people: 0 } };
const done = { people: rows, names: ['after'], written: { times: rows, people: rows } };
const seen = async () => {
  const people = await t.db.rows<{ name: string }>(sql`select fld101 as name from ${t.db.t.subscriber}`);
  return {
    people: people.length,
    names: [...new Set(people.map(({ name }) => name))],
    written: await holds.written(),
  };
};

describe('a pause', () => {
  test.each<[string, () => Promise<Hold>]>([
    ['while the file is read', () => holds.staging()],
    ['before the merge', () => holds.merge()],
    ['while subscribers are changed', () => holds.update(1)],
    ['while subscribers are added', () => holds.insert('u7@example.com')],
  ])('%s stops the run, which changes nothing; resumed it is done once', async (_when, holdAt) => {
    const id = await make();
    const hold = await holdAt();
    const running = tester.run(id);
    await hold.reached();
    expect(await pause(id)).toMatchObject({ status: 200, data: true });
    expect(await stateOf(id)).toBe('Paused');
    // A statement of the merge is aborted immediately; reading continues to the next piece of the file.
    if (_when === 'while the file is read') await hold.letGo();
    expect(await running).toMatchObject({ importState: 'Paused', lastImportLog: null });
    if (_when !== 'while the file is read') await hold.letGo();
    expect(await seen()).toEqual(untouched);
    expect(await tester.stages()).toEqual([]);

    expect(await t.call('POST', `/imports/${id}/resume`)).toMatchObject({ status: 200 });
    expect(await tester.run(id)).toMatchObject({
      importState: 'Completed',
      lastImportLog: { nbUpdates: 2, nbInserts: rows - 2 },
    });
    expect(await seen()).toEqual(done);
  });

  test('at the very end of a run waits for it, and is a 409', async () => {
    const id = await make();
    const hold = await holds.end();
    const running = tester.run(id);
    await hold.reached();
    const pausing = pause(id);
    await waitsForRow();
    await hold.letGo();
    expect(await pausing).toMatchObject({
      status: 409,
      error: 'The import is Completed: only one that is Scheduled or InProgress can be paused',
    });
    expect((await running).importState).toBe('Completed');
    expect(await seen()).toEqual(done);
  });

  test('before a run lets its job find nothing to do', async () => {
    const id = await make();
    await pause(id);
    expect(await tester.run(id)).toMatchObject({ importState: 'Paused' });
    expect(await seen()).toEqual(untouched);
  });

  async function waitsForRow(): Promise<void> {
    const hold = sql`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database() and query ~ 'for update'`;
    while ((await t.db.rows(hold)).length === 0) await new Promise(setImmediate);
  }
});

describe('a lock whose connection breaks', () => {
  test('lets a second attempt begin, and only one of the two commits', async () => {
    const id = await make();
    const hold = await holds.update(1);
    const first = tester.run(id);
    first.catch(() => undefined);
    await hold.reached();
    await t.db.run(sql`
      select pg_terminate_backend(pid, 30000) from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${`${t.db.site.schema} import ${id}`}, 0)`);
    const second = tester.run(id);
    // The first one notices that another attempt has begun; the second one comes to the same row.
    await Promise.allSettled([first]);
    await hold.reached();
    await hold.letGo();
    expect(await second).toMatchObject({ importState: 'Completed', lastImportLog: { nbUpdates: 2 } });
    expect(await seen()).toEqual(done);
    expect(await tester.stages()).toEqual([]);
    expect(await t.db.rows(sql`select from ${t.db.t.import_log} where id_import = ${id}`)).toHaveLength(1);
  });
});
