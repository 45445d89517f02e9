import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readingWhole } from '../../fields/merge-state.ts';
import { sql } from '../../platform/db/sql.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { column } from '../../testing/import-tester.ts';
import { file, known, lines, MergeSteps, rows } from '../../testing/merge-steps.ts';

const steps = MergeSteps.forTests();

describe('a large file', () => {
  it('lets others change and delete its subscribers between two steps, and add fields', async () => {
    const id = await steps.make(`${file()}no address;after\n`);
    let adding: ReturnType<typeof steps.t.call> | undefined;
    const { lastImportLog } = await steps.whileMerging(
      id,
      steps.holds.insert('u20000@example.com'),
      async () => {
        // Subscribers of an early step: a merge in one transaction would lock them.
        const replies = [
          await steps.t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: 1 }] }),
          await steps.t.call('DELETE', '/subscribers', { query: { idSubscribers: [2] } }),
          await steps.t.call('PUT', '/subscribers', {
            body: [{ id: 3, fields: [{ idField: 101, value: 'mine' }] }],
          }),
        ];
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
        const query = { 'filter.sortBy': 'ID', 'filter.order': 'DESC' };
        const { data } = await steps.t.call('GET', '/imports', { query });
        // How many are written by now depends on the time of the steps.
        expect(data).toMatchObject({
          items: [{ id, totalRows: rows + 1, nbErrorRows: 1, totalUpdates: known }],
        });
        adding = steps.t.call('POST', '/fields', { body: { name: 'Added', fieldType: 'Integer' } });
      },
    );
    expect((await adding!).status).toBe(200);
    expect(lastImportLog).toMatchObject({
      ...{ totalRows: rows + 1, nbErrorRows: 1, totalUpdates: known, nbUpdates: known },
      nbInserts: rows - known,
      errorMessage: null,
    });
    expect(await steps.names()).toEqual({ after: rows - 2, mine: 1 });
    const left = await steps.t.db.rows(sql`select fld0 as id from ${steps.t.db.t.subscriber} where fld7 = 1`);
    expect(left).toEqual([{ id: 1 }]);
  });

  it('is seen whole or not at all by targets, while a single subscriber shows what they are', async () => {
    const id = await steps.make();
    const idTarget = await steps.exports.everybody();
    const query = { property: 'fld0', direction: 'DESC', start: 0, page: 1, limit: 20 };
    await steps.whileMerging(id, steps.holds.insert('u20000@example.com'), async () => {
      expect((await steps.names()).after).toBeGreaterThan(0);
      expect(await steps.count()).toMatchObject({ data: known });
      const last = await steps.t.call('GET', `/targets/${idTarget}/subscribers`, { query });
      expect(last.data).toMatchObject([{ id: known }, ...Array(19).fill({})]);
      const one = { 'filter.by': 'IdSubscriber', 'filter.idFields': [101], 'filter.values': [1] };
      const { data } = await steps.t.call('GET', '/subscribers', { query: one });
      expect(data).toMatchObject([{ fields: [{ idField: 101, value: 'after' }] }]);
    });
    expect((await steps.count()).data).toBe(rows);
  });

  it('is waited for by an export, and by who counts a target that was changed while the rows are written', async () => {
    const id = await steps.make();
    const idTarget = await makeTarget(steps.t.db, { isSafe: false });
    let counting: ReturnType<typeof steps.count> | undefined;
    const idExport = await steps.exports.create({ idsFields: ['101'], filename: 'names.csv' });
    await steps.whileMerging(id, steps.holds.insert('u20000@example.com'), async () => {
      const filters = [{ idField: 101, operator: 'Equal', value: 'after' }];
      const changed = await steps.t.call('PUT', '/targets/filters/field', { body: { idTarget, filters } });
      expect([changed.status, changed.error]).toEqual([200, null]);
      counting = steps.t.call('GET', `/targets/${idTarget}/count`);
      // The task of the export gives its worker to others, and comes back.
      expect(await steps.exports.run(idExport)).toMatchObject({
        state: 'SCHEDULED',
        message: expect.stringContaining(`Import ${id} has not written all of its rows`),
      });
      expect(await Promise.race([counting, steps.names().then(() => 'waits')])).toBe('waits');
    });
    expect((await counting!).data).toBe(rows);
    expect(await steps.exports.run(idExport)).toMatchObject({ state: 'COMPLETED', nbLines: rows });
    const written = readFileSync(join(steps.exports.folder, 'names.csv'), 'utf8').trimEnd().split(/\r?\n/);
    expect(new Set(written.slice(1))).toEqual(new Set(['after']));
  });

  it('begun during a reading of several statements makes the reading restart', async () => {
    const id = await steps.make();
    const hold = await steps.holds.insert('u20000@example.com');
    let running: Promise<unknown> | undefined;
    let times = 0;
    const seen = await readingWhole(
      steps.t.db,
      async (tx) => {
        times++;
        running ??= steps.tester.run(id);
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
    const id = await steps.make();
    let changing: ReturnType<typeof steps.t.call> | undefined;
    const done = await steps.whileMerging(id, steps.holds.insert('u20000@example.com'), async () => {
      expect(await steps.t.call('POST', `/imports/${id}/pause`)).toMatchObject({
        status: 409,
        error: 'The rows of the import are being written to the subscribers; wait until it is Completed',
      });
      changing = steps.t.call('PUT', '/fields', { body: { id: 101, fieldType: 'Integer' } });
      expect(await Promise.race([changing, steps.t.call('GET', '/fields').then(() => 'waits')])).toBe(
        'waits',
      );
    });
    expect(done.importState).toBe('Completed');
    expect((await changing!).status).toBe(200);
    expect(await steps.names()).toEqual({ null: rows });
    await steps.t.call('PUT', '/fields', { body: { id: 101, fieldType: 'Text', length: 100 } });
  });

  it('finds subscribers that other callers added after the matching', async () => {
    const id = await steps.make();
    const { lastImportLog } = await steps.whileMerging(id, steps.holds.update(1), async () => {
      const fields = (email: string) => [{ idField: 1, value: email }];
      const body = ['u13000@example.com', 'u24999@example.com'].map((email) => ({ fields: fields(email) }));
      expect((await steps.t.call('POST', '/subscribers', { body })).status).toBe(200);
    });
    // A person that another caller added is not recorded as new.
    const found = await steps.t.db.one(sql`
      select range_agg(people) filter (where kind = 'changed') @> s.ids as changed,
        range_agg(people) filter (where kind = 'new') && s.ids as added
      from ${steps.t.db.t.import_people}, (
        select range_agg(int4range(fld0, fld0 + 1)) as ids from ${steps.t.db.t.subscriber}
        where fld1 in ('u13000@example.com', 'u24999@example.com')) s
      where id_import = ${id} group by s.ids`);
    expect(found).toEqual({ changed: true, added: false });
    expect(lastImportLog).toMatchObject({
      nbUpdates: known + 2,
      nbInserts: rows - known - 2,
      totalUpdates: known + 2,
      totalInserts: rows - known - 2,
      nbErrorRows: 0,
    });
    expect(await steps.names()).toEqual({ after: rows });
  });

  it('refuses a row whose client id somebody has taken since it was matched', async () => {
    const content = `email;name;client\n${lines((i) => `after;${i + 1}`)}`;
    const columnMapping = [column(1, 'email'), column(101, 'name'), column(43, 'client')];
    const id = await steps.make(content, { columnMapping });
    const { lastImportLog } = await steps.whileMerging(id, steps.holds.update(1), () =>
      steps.tester.add('other@example.com', 'other', { client: 20_001 }),
    );
    expect(lastImportLog).toMatchObject({
      nbErrorRows: 1,
      badFormattedRowNumbers: '20002',
      nbInserts: rows - known - 1,
    });
    expect(steps.tester.errorFile()).toContain(
      'u20000@example.com;after;20001;20002;the client identifier belongs to',
    );
    expect(await steps.names()).toEqual({ after: rows - 1, other: 1 });
  });

  it('refuses the rows that only PostgreSQL refuses, with all of their keys, and imports the others', async () => {
    await steps.t.db.run(
      sql`alter table ${steps.t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`,
    );
    try {
      const odd = new Set([0, 7_000, 20_000]);
      const again = 'u20000@example.com;fine\nu20000@example.com;odd\n';
      const id = await steps.make(`email;name\n${lines((i) => (odd.has(i) ? 'odd' : 'after'))}${again}`);
      const log = (await steps.tester.run(id)).lastImportLog!;
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
      expect(steps.tester.errorFile().trimEnd().split('\r\n').slice(1)).toEqual([
        `u0@example.com;odd;2;${why}`,
        `u7000@example.com;odd;7002;${why}`,
        `u20000@example.com;odd;20002;${same}`,
        `u20000@example.com;fine;${rows + 2};${same}`,
        `u20000@example.com;odd;${rows + 3};${why}`,
      ]);
      expect(await steps.names()).toEqual({ before: 2, after: rows - 3 });
    } finally {
      await steps.t.db.run(sql`alter table ${steps.t.db.t.subscriber} drop constraint odd`);
    }
  });

  it('ends although it refuses rows that others could have written as well', async () => {
    const { subscriber } = steps.t.db.t;
    await steps.t.db.run(sql`alter table ${subscriber} add constraint odd check (fld101 <> 'odd')`);
    await steps.t.db.run(sql`create unique index dup on ${subscriber} (fld101) where fld101 = 'dup'`);
    try {
      const name = (i: number) => (i === 20_000 ? 'odd' : i === 20_001 || i === 20_002 ? 'dup' : 'after');
      const id = await steps.make(`email;name\n${lines(name)}`);
      const log = (await steps.tester.run(id)).lastImportLog!;
      expect(log).toMatchObject({ nbErrorRows: 2, badFormattedRowNumbers: '20002,20004' });
      expect(await steps.names()).toEqual({ after: rows - 3, dup: 1 });
    } finally {
      await steps.t.db.run(sql`drop index ${steps.t.db.name('dup')}`);
      await steps.t.db.run(sql`alter table ${subscriber} drop constraint odd`);
    }
  });

  it('subscribes nobody again who unsubscribes while it is written', async () => {
    const id = await steps.make(file(), { keepFld7: false });
    const others = sql`select fld0 as id, fld7 from ${steps.t.db.t.subscriber} where fld0 in (12000, 12001) order by 1`;
    await steps.t.db.run(
      sql`update ${steps.t.db.t.subscriber} set fld7 = 1, fld4 = '2020-01-01' where fld0 = 12001`,
    );
    const { lastImportLog } = await steps.whileMerging(id, steps.holds.update(1), async () => {
      const body = [{ idSubscriber: 12_000 }];
      expect((await steps.t.call('POST', '/subscribers/unsubscribe', { body })).status).toBe(200);
    });
    expect(lastImportLog).toMatchObject({ nbErrorRows: 0, totalUpdates: known });
    // The formerly unsubscribed are subscribed again, as the import requests.
    expect(await steps.t.db.rows(others)).toEqual([
      { id: 12_000, fld7: 1 },
      { id: 12_001, fld7: 0 },
    ]);
    expect(await steps.names()).toEqual({ after: rows });
  });

  it('changes nothing in safe mode when a row is refused only as it is written', async () => {
    await steps.t.db.run(
      sql`alter table ${steps.t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`,
    );
    try {
      const id = await steps.make(`email;name\n${lines((i) => (i === 20_000 ? 'odd' : 'after'))}`, {
        safeMode: true,
      });
      const { errorMessage, nbUpdates, nbInserts } = (await steps.tester.run(id)).lastImportLog!;
      expect({ errorMessage, nbUpdates, nbInserts }).toEqual({
        errorMessage: expect.stringContaining('Safe mode'),
        nbUpdates: 0,
        nbInserts: 0,
      });
      expect(await steps.names()).toEqual({ before: known });
    } finally {
      await steps.t.db.run(sql`alter table ${steps.t.db.t.subscriber} drop constraint odd`);
    }
  });

  it('changes nothing in safe mode when a row is bad', async () => {
    const id = await steps.make(`${file()}bad;x\n`, { safeMode: true });
    expect((await steps.tester.run(id)).lastImportLog).toMatchObject({
      nbErrorRows: 1,
      nbUpdates: 0,
      nbInserts: 0,
    });
    expect(await steps.names()).toEqual({ before: known });
  });
});
