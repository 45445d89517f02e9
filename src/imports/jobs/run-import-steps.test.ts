import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readingWhole } from '../../fields/merge-state.ts';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import type { Hold } from '../../testing/hold.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { startProgram } from '../../testing/programs.ts';
import { until } from '../../testing/until.ts';
import type { Import } from '../import.ts';
import { findImport } from '../import-store.ts';
import { findMerge } from '../merge-state-store.ts';

/** More than are merged at once. The subscribers of the first half are known, in the order of the file. */
const rows = 25_000;
const known = rows / 2;

let t: TestApp;
let tester: ImportTester;
let exports: ExportTester;
let holds: ImportHolds;
beforeAll(async () => {
  ({ t, tester } = await importApp());
  exports = new ExportTester(t);
  holds = await ImportHolds.install(t.connection, t.db);
});
afterAll(() => t.close());
afterEach(async () => {
  await tester.clear();
  await holds.forgetWritten();
  expect(await findMerge(t.db)).toBeUndefined();
});

const lines = (name: (i: number) => string) =>
  Array.from({ length: rows }, (_, i) => `u${i}@example.com;${name(i)}\n`).join('');
const file = `email;name\n${lines(() => 'after')}`;

async function make(content = file, parameters = {}): Promise<number> {
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld101, fld2, fld3)
    select 'u' || i || '@example.com', 'before', '2020-01-01', '2020-01-01'
    from generate_series(0, ${known - 1}::int) i`);
  await holds.forgetWritten();
  tester.put(content);
  return (await tester.make(parameters)).id;
}

/** Runs an import that stands still, in its steps, until `look` has ended; its end. */
async function whileMerging(id: number, holding: Promise<Hold>, look: () => Promise<void>): Promise<Import> {
  const hold = await holding;
  const running = tester.run(id);
  try {
    await hold.reached();
    await look();
  } finally {
    await hold.letGo();
    await running;
  }
  return running;
}

/** Subscribers by name, as the table has them now. */
const names = async () =>
  Object.fromEntries(
    (
      await t.db.rows<{ name: string; nb: number }>(
        sql`select fld101 as name, count(*)::int as nb from ${t.db.t.subscriber} group by 1`,
      )
    ).map(({ name, nb }) => [name, nb]),
  );
const count = async () => t.call('GET', `/targets/${await exports.everybody()}/count`);
const logOf = async (id: number) => (await findImport(t.db, id))!.lastImportLog!;

describe('a large file', () => {
  it('lets others change and delete its subscribers between two steps, and add fields', async () => {
    const id = await make();
    let adding: ReturnType<typeof t.call> | undefined;
    const { lastImportLog } = await whileMerging(id, holds.insert('u20000@example.com'), async () => {
      // Of an early step: a merge in one transaction would hold them.
      const replies = [
        await t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: 1 }] }),
        await t.call('DELETE', '/subscribers', { query: { idSubscribers: [2] } }),
        await t.call('PUT', '/subscribers', { body: [{ id: 3, fields: [{ idField: 101, value: 'mine' }] }] }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      adding = t.call('POST', '/fields', { body: { name: 'Added', fieldType: 'Integer' } });
    });
    expect((await adding!).status).toBe(200);
    expect(lastImportLog).toMatchObject({
      totalRows: rows,
      totalUpdates: known,
      nbUpdates: known,
      nbInserts: rows - known,
      errorMessage: null,
    });
    expect(await names()).toEqual({ after: rows - 2, mine: 1 });
    const left = await t.db.rows(sql`select fld0 as id from ${t.db.t.subscriber} where fld7 = 1`);
    expect(left).toEqual([{ id: 1 }]);
  });

  it('is seen whole or not at all by targets, while a single subscriber shows what they are', async () => {
    const id = await make();
    const idTarget = await exports.everybody();
    const query = { property: 'fld0', direction: 'DESC', start: 0, page: 1, limit: 20 };
    await whileMerging(id, holds.insert('u20000@example.com'), async () => {
      expect((await names()).after).toBeGreaterThan(0);
      expect(await count()).toMatchObject({ data: known });
      const last = await t.call('GET', `/targets/${idTarget}/subscribers`, { query });
      expect(last.data).toMatchObject([{ id: known }, ...Array(19).fill({})]);
      const one = { 'filter.by': 'IdSubscriber', 'filter.idFields': [101], 'filter.values': [1] };
      const { data } = await t.call('GET', '/subscribers', { query: one });
      expect(data).toMatchObject([{ fields: [{ idField: 101, value: 'after' }] }]);
    });
    expect((await count()).data).toBe(rows);
  });

  it('is waited for by an export, and by who counts a target that was changed while the rows are written', async () => {
    const id = await make();
    const idTarget = await makeTarget(t.db, { isSafe: false });
    let counting: ReturnType<typeof count> | undefined;
    let exporting: ReturnType<typeof exports.text> | undefined;
    await whileMerging(id, holds.insert('u20000@example.com'), async () => {
      const filters = [{ idField: 101, operator: 'Equal', value: 'after' }];
      const changed = await t.call('PUT', '/targets/filters/field', { body: { idTarget, filters } });
      expect([changed.status, changed.error]).toEqual([200, null]);
      counting = t.call('GET', `/targets/${idTarget}/count`);
      exporting = exports.text({ idsFields: ['101'], filename: 'names.csv' });
      const both = Promise.race([counting, exporting]);
      expect(await Promise.race([both, names().then(() => 'wait')])).toBe('wait');
    });
    expect((await counting!).data).toBe(rows);
    expect(new Set((await exporting!).trimEnd().split(/\r?\n/).slice(1))).toEqual(new Set(['after']));
  });

  it('begun during a reading of several statements makes the reading start over', async () => {
    const id = await make();
    const hold = await holds.insert('u20000@example.com');
    let running: Promise<unknown> | undefined;
    let times = 0;
    const seen = await readingWhole(
      t.db,
      async (tx) => {
        times++;
        running ??= tester.run(id);
        if (times === 1) await hold.reached();
        return tx.one(sql`select count(*) filter (where fld101 = 'after') as nb from ${tx.t.subscriber}`);
      },
      { isolation: 'read committed', patienceMs: 30_000, isAnsweredBefore: async () => true },
    );
    expect({ times, seen }).toEqual({ times: 2, seen: { nb: 0 } });
    await hold.letGo();
    await running;
  });

  it('can no longer be paused once its rows are written, nor can its fields change their type', async () => {
    const id = await make();
    let changing: ReturnType<typeof t.call> | undefined;
    const done = await whileMerging(id, holds.insert('u20000@example.com'), async () => {
      expect(await t.call('POST', `/imports/${id}/pause`)).toMatchObject({
        status: 409,
        error: 'The rows of the import are being written to the subscribers; wait until it is Completed',
      });
      changing = t.call('PUT', '/fields', { body: { id: 101, fieldType: 'Integer' } });
      expect(await Promise.race([changing, t.call('GET', '/fields').then(() => 'waits')])).toBe('waits');
    });
    expect(done.importState).toBe('Completed');
    expect((await changing!).status).toBe(200);
    expect(await names()).toEqual({ null: rows });
    await t.call('PUT', '/fields', { body: { id: 101, fieldType: 'Text', length: 100 } });
  });

  it('finds subscribers whom others have added since it was matched', async () => {
    const id = await make();
    const { lastImportLog } = await whileMerging(id, holds.update(1), async () => {
      const fields = (email: string) => [{ idField: 1, value: email }];
      const body = ['u13000@example.com', 'u24999@example.com'].map((email) => ({ fields: fields(email) }));
      expect((await t.call('POST', '/subscribers', { body })).status).toBe(200);
    });
    expect(lastImportLog).toMatchObject({
      nbUpdates: known + 2,
      nbInserts: rows - known - 2,
      totalUpdates: known + 2,
      totalInserts: rows - known - 2,
      nbErrorRows: 0,
    });
    expect(await names()).toEqual({ after: rows });
  });

  it('refuses a row whose client id somebody has taken since it was matched', async () => {
    const content = `email;name;client\n${lines((i) => `after;${i + 1}`)}`;
    const columnMapping = [column(1, 'email'), column(101, 'name'), column(43, 'client')];
    const id = await make(content, { columnMapping });
    const { lastImportLog } = await whileMerging(id, holds.update(1), () =>
      tester.add('other@example.com', 'other', { client: 20_001 }),
    );
    expect(lastImportLog).toMatchObject({
      nbErrorRows: 1,
      badFormattedRowNumbers: '20002',
      nbInserts: rows - known - 1,
    });
    expect(tester.errorFile()).toContain(
      'u20000@example.com;after;20001;20002;the client identifier belongs to',
    );
    expect(await names()).toEqual({ after: rows - 1, other: 1 });
  });

  it('refuses the rows that only PostgreSQL refuses, with all of their keys, and imports the others', async () => {
    await t.db.run(sql`alter table ${t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`);
    try {
      const odd = new Set([0, 7_000, 20_000]);
      const again = 'u20000@example.com;fine\nu20000@example.com;odd\n';
      const id = await make(`email;name\n${lines((i) => (odd.has(i) ? 'odd' : 'after'))}${again}`);
      const log = (await tester.run(id)).lastImportLog!;
      expect(log).toMatchObject({
        totalRows: rows + 2,
        nbErrorRows: 5,
        badFormattedRowNumbers: `2,7002,20002,${rows + 2},${rows + 3}`,
        nbUpdates: known - 2,
        nbInserts: rows - known - 1,
        totalDuplicateKeys: 0,
      });
      const why = 'PostgreSQL does not take its values (constraint odd, 23514)';
      const same = `PostgreSQL does not take row ${rows + 3}, which has the same key`;
      expect(tester.errorFile().trimEnd().split('\r\n').slice(1)).toEqual([
        `u0@example.com;odd;2;${why}`,
        `u7000@example.com;odd;7002;${why}`,
        `u20000@example.com;odd;20002;${same}`,
        `u20000@example.com;fine;${rows + 2};${same}`,
        `u20000@example.com;odd;${rows + 3};${why}`,
      ]);
      expect(await names()).toEqual({ before: 2, after: rows - 3 });
    } finally {
      await t.db.run(sql`alter table ${t.db.t.subscriber} drop constraint odd`);
    }
  });

  it('changes nothing in safe mode when a row is bad', async () => {
    const id = await make(`${file}bad;x\n`, { safeMode: true });
    expect((await tester.run(id)).lastImportLog).toMatchObject({
      nbErrorRows: 1,
      nbUpdates: 0,
      nbInserts: 0,
    });
    expect(await names()).toEqual({ before: known });
  });
});

describe('a large file whose worker is killed -9 between two steps', () => {
  /** Kills an import while its rows are written; how far it came. */
  async function killed(id: number) {
    const hold = await holds.insert('u20000@example.com');
    const options = { connection: t.connection, dataDir: t.dataDir, idSite: t.db.site.id, idImport: id };
    const child: ChildProcess = startProgram('import-process.ts', options, 'ignore');
    await hold.reached();
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await hold.letGo();
    await until(async () => (await others()) === 0, 'the connections of the killed worker to go', 60_000);
    const merge = (await findMerge(t.db))!;
    expect(merge).toMatchObject({ idImport: id, nbUpdates: known });
    expect(merge.mergedTo).toBeGreaterThan(known);
    expect(merge.mergedTo).toBeLessThan(20_002);
    return merge;
  }
  const others = async () =>
    (
      await t.db.one<{ nb: number }>(sql`
        select count(*) as nb from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
    ).nb;

  it('is finished by the next worker, which writes no row again; nobody sees a part of it', async () => {
    const id = await make();
    const { nbInserts } = await killed(id);
    // Of the rows that are written: the next worker must not take these back.
    await t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: 1 }] });
    // Not 2, an id that the archive has already: `clear` begins the ids anew.
    const gone = await t.call('DELETE', '/subscribers', { query: { idSubscribers: [3] } });
    expect([gone.status, gone.error]).toEqual([200, null]);
    expect(await count()).toMatchObject({
      status: 503,
      error: `Import ${id} has not written all of its rows to the subscribers; repeat the request when it has ended`,
    });
    const counting = count();
    const finished = await tester.run(id);
    expect(finished).toMatchObject({
      importState: 'Completed',
      lastImportLog: {
        totalRows: rows,
        totalDuplicateKeys: 0,
        totalUpdates: known,
        totalInserts: rows - known,
        nbUpdates: known,
        nbInserts: rows - known,
      },
    });
    expect(nbInserts).toBeGreaterThan(0);
    expect((await counting).data).toBe(rows - 1);
    expect(await names()).toEqual({ after: rows - 1 });
    const left = await t.db.rows(sql`select fld0 as id from ${t.db.t.subscriber} where fld7 = 1`);
    expect(left).toEqual([{ id: 1 }]);
    // The unsubscription is the one row that was written twice.
    expect(await holds.written()).toEqual({ times: rows + 1, people: rows });
  }, 60_000);

  it('ends with what it has done when the file has changed; other imports wait until then', async () => {
    const id = await make();
    const { mergedTo, nbInserts } = await killed(id);
    tester.put('email;name\nx@example.com;x\n', 'other.csv');
    const other = await tester.make({ filename: 'other.csv' });
    expect((await tester.run(other.id)).importState).toBe('InProgress');
    const { trouble } = await t.db.one<{ trouble: string }>(
      sql`select trouble from ${t.db.t.import} where id = ${other.id}`,
    );
    expect(trouble).toBe(
      `Import ${id} was cut off while its rows were written to the subscribers; it is finished first`,
    );
    tester.put('email;name\ny@example.com;y\n');
    expect((await tester.run(id)).importState).toBe('PackageErrorCreation');
    expect(await logOf(id)).toMatchObject({
      errorMessage:
        'The service stopped while the file was merged, and the file has changed since: import it again. ' +
        `The rows up to number ${mergedTo} are imported: ${nbInserts} subscribers were added and ${known} changed`,
      nbUpdates: known,
      nbInserts,
    });
    expect((await count()).data).toBe(known + nbInserts);
    expect((await tester.run(other.id)).lastImportLog).toMatchObject({ nbInserts: 1 });
  }, 60_000);

  it('keeps the rows that were refused, for the error file', async () => {
    await t.db.run(sql`alter table ${t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`);
    try {
      const id = await make(`email;name\n${lines((i) => (i === 3 ? 'odd' : 'after'))}`);
      await t.db.run(sql`delete from ${t.db.t.subscriber} where fld1 = 'u3@example.com'`);
      const hold = await holds.insert('u20000@example.com');
      const options = { connection: t.connection, dataDir: t.dataDir, idSite: t.db.site.id, idImport: id };
      const child = startProgram('import-process.ts', options, 'ignore');
      await hold.reached();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await hold.letGo();
      await until(async () => (await others()) === 0, 'the connections of the killed worker to go', 60_000);
      expect((await tester.run(id)).lastImportLog).toMatchObject({
        nbErrorRows: 1,
        badFormattedRowNumbers: '5',
        nbUpdates: known - 1,
        nbInserts: rows - known,
      });
      expect(tester.errorFile()).toContain('u3@example.com;odd;5;PostgreSQL does not take its values');
    } finally {
      await t.db.run(sql`alter table ${t.db.t.subscriber} drop constraint odd`);
    }
  }, 60_000);
});
