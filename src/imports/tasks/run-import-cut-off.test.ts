import { describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { freePort } from '../../testing/free-port.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { known, lines, MergeSteps, rows } from '../../testing/merge-steps.ts';
import { kill, startWork } from '../../testing/programs.ts';
import { until } from '../../testing/until.ts';
import { findMerge } from '../merge-state-store.ts';

const steps = MergeSteps.forTests();

describe('a large file whose worker is killed -9 between two steps', () => {
  /** Kills an import while its rows are written; returns its progress. */
  async function killed(id: number) {
    const hold = await steps.holds.insert(`u${rows - 1}@example.com`);
    const child = startWork(steps.t, { imports: [id] });
    await hold.reached();
    await kill(child);
    await hold.letGo();
    await until(async () => (await others()) === 0, 'the connections of the killed worker to go');
    const merge = (await findMerge(steps.t.db))!;
    expect(merge).toMatchObject({ idImport: id, nbUpdates: known });
    expect(merge.mergedTo).toBeGreaterThan(known);
    expect(merge.mergedTo).toBeLessThan(rows + 1);
    return merge;
  }
  const others = async () =>
    (
      await steps.t.db.one<{ nb: number }>(sql`
        select count(*) as nb from pg_stat_activity
        where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`)
    ).nb;

  /** The recorded people of each kind, and that no id is in two rows. */
  async function recorded(id: number) {
    const { t } = steps.t.db;
    const rows = await steps.t.db.rows<{ kind: string; people: string; nb: number; ids: number }>(sql`
      select kind, range_agg(people)::text as people,
        (select sum(upper(r) - lower(r))::int from unnest(range_agg(people)) r) as ids,
        sum((select sum(upper(r) - lower(r)) from unnest(people) r))::int as nb
      from ${t.import_people} where id_import = ${id} group by kind`);
    for (const { nb, ids } of rows) expect(ids).toBe(nb);
    return Object.fromEntries(rows.map(({ kind, people }) => [kind, people]));
  }
  /** The ids that rows have got; the killed worker has used up others. */
  const newIds = () =>
    steps.t.db.value<string>(sql`
      select range_agg(int4range(fld0, fld0 + 1))::text as ids
      from ${steps.t.db.t.subscriber} where fld0 > ${known}`);
  const peopleOf = async (id: number, kind: string, query = {}) =>
    (await steps.t.call('GET', `/imports/${id}/people`, { query: { kind, ...query } })).data as {
      isRecorded: boolean;
      people: { idSubscriber: number }[];
      next: number | null;
    };

  it('is finished by the next worker, which writes no row again; nobody sees a part of it', async () => {
    const id = await steps.make();
    const { nbInserts } = await killed(id);
    // Unsubscribes the subscriber of a written row: the next worker must not undo this.
    await steps.t.call('POST', '/subscribers/unsubscribe', { body: [{ idSubscriber: 1 }] });
    // Not 2, an id that the archive has: `clear` restarts the ids.
    const gone = await steps.t.call('DELETE', '/subscribers', { query: { idSubscribers: [3] } });
    expect([gone.status, gone.error]).toEqual([200, null]);
    expect(await steps.count()).toMatchObject({
      status: 503,
      error: `Import ${id} has not written all of its rows to the subscribers; repeat the request when it has ended`,
    });
    const counting = steps.count();
    const finished = await steps.tester.run(id);
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
    expect(await steps.names()).toEqual({ after: rows - 1 });
    const left = await steps.t.db.rows(sql`select fld0 as id from ${steps.t.db.t.subscriber} where fld7 = 1`);
    expect(left).toEqual([{ id: 1 }]);
    // Each change is kept once. Those of the deleted person are deleted.
    const kept = sql`
      select count(*)::int as nb, count(distinct id_subscriber)::int as people
      from ${steps.t.db.t.subscriber_change} where cause = 'import'`;
    expect(await steps.t.db.one(kept)).toEqual({ nb: known - 1, people: known - 1 });
    // So is each person: their ids are those of the rows. Nobody shows the deleted one.
    expect(await recorded(id)).toEqual({ changed: `{[1,${known + 1})}`, new: await newIds() });
    const changed = await peopleOf(id, 'changed', { limit: 3 });
    expect(changed).toMatchObject({ isRecorded: true, next: 4 });
    expect(changed.people.map(({ idSubscriber }) => idSubscriber)).toEqual([1, 2, 4]);
    // The unsubscription is the one row that was written twice.
    expect(await steps.holds.written()).toEqual({ times: rows + 1, people: rows });
  });

  it('keeps the rules by which its rows were read until it ends', async () => {
    await steps.t.call('PUT', '/fields', { body: { id: 101, length: 100 } });
    const id = await steps.make();
    await killed(id);
    const { status, error } = await steps.t.call('PUT', '/fields', { body: { id: 101, length: 200 } });
    expect([status, error]).toEqual([409, expect.stringContaining('busy with a long change')]);
    await steps.tester.run(id);
    expect((await steps.t.call('PUT', '/fields', { body: { id: 101, length: 200 } })).status).toBe(200);
    await steps.t.call('PUT', '/fields', { body: { id: 101, length: 100 } });
  });

  it('is given up after half an hour, with what it has done', async () => {
    const id = await steps.make();
    const { mergedTo, nbInserts } = await killed(id);
    // Its repository no longer answers.
    const access = { host: '127.0.0.1', port: await freePort() };
    const idRepository = await makeRepository(steps.t.db, steps.t.app.secrets, access);
    await steps.t.db.run(
      sql`update ${steps.t.db.t.repository} set is_default = true where id = ${idRepository}`,
    );
    const began = steps.t.clock.now();
    for (const minutes of [0, 29, 30]) {
      steps.t.clock.set(new Date(began.getTime() + minutes * 60_000));
      expect((await findMerge(steps.t.db))?.idImport).toBe(id);
      await steps.tester.run(id);
    }
    steps.t.clock.set(began);
    await steps.t.db.run(sql`delete from ${steps.t.db.t.repository}`);
    expect((await steps.logOf(id)).errorMessage).toContain('30 minutes');
    expect((await steps.logOf(id)).errorMessage).toContain(
      `The rows up to number ${mergedTo} are imported: ${nbInserts} subscribers were added`,
    );
    expect((await steps.count()).data).toBe(known + nbInserts);
  });

  it('ends with what it has done when the file has changed; other imports wait until then', async () => {
    const id = await steps.make();
    const { mergedTo, nbInserts } = await killed(id);
    steps.tester.put('email;name\nx@example.com;x\n', 'other.csv');
    const other = await steps.tester.make({ filename: 'other.csv' });
    expect((await steps.tester.run(other.id)).importState).toBe('InProgress');
    const { trouble } = await steps.t.db.one<{ trouble: string }>(
      sql`select trouble from ${steps.t.db.t.import} where id = ${other.id}`,
    );
    expect(trouble).toBe(
      `Import ${id} was cut off while its rows were written to the subscribers; it is finished first`,
    );
    steps.tester.put('email;name\ny@example.com;y\n');
    expect((await steps.tester.run(id)).importState).toBe('PackageErrorCreation');
    expect(await steps.logOf(id)).toMatchObject({
      errorMessage:
        'The service stopped while the file was merged, and the file has changed since: import it again. ' +
        `The rows up to number ${mergedTo} are imported: ${nbInserts} subscribers were added and ${known} changed`,
      ...{ totalUpdates: known, nbUpdates: known, totalInserts: nbInserts, nbInserts },
    });
    expect(await recorded(id)).toEqual({ changed: `{[1,${known + 1})}`, new: await newIds() });
    expect((await steps.count()).data).toBe(known + nbInserts);
    expect((await steps.tester.run(other.id)).lastImportLog).toMatchObject({ nbInserts: 1 });
  });

  it('keeps the rows that were refused, for the error file', async () => {
    await steps.t.db.run(
      sql`alter table ${steps.t.db.t.subscriber} add constraint odd check (fld101 <> 'odd')`,
    );
    try {
      const id = await steps.make(`email;name\n${lines((i) => (i === 3 ? 'odd' : 'after'))}`);
      await steps.t.db.run(sql`delete from ${steps.t.db.t.subscriber} where fld1 = 'u3@example.com'`);
      const hold = await steps.holds.insert('u20000@example.com');
      const child = startWork(steps.t, { imports: [id] });
      await hold.reached();
      await kill(child);
      await hold.letGo();
      await until(async () => (await others()) === 0, 'the connections of the killed worker to go');
      expect((await steps.tester.run(id)).lastImportLog).toMatchObject({
        nbErrorRows: 1,
        badFormattedRowNumbers: '5',
        nbUpdates: known - 1,
        nbInserts: rows - known,
      });
      expect(steps.tester.errorFile()).toContain('u3@example.com;odd;5;PostgreSQL does not take its values');
    } finally {
      await steps.t.db.run(sql`alter table ${steps.t.db.t.subscriber} drop constraint odd`);
    }
  });
});
