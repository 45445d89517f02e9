import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Sql, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { addBurning, burningExpression, untilBurning } from '../testing/burning-filter.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { killWork, startWork } from '../testing/programs.ts';
import { until } from '../testing/until.ts';
import { isAlone } from '../testing/until-waiting.ts';
import { setFilter } from './filter-store.ts';
import { targetsOperations } from './operations.ts';
import { Selection } from './selection.ts';
import { parametersOf } from './target.ts';
import { insertTarget } from './target-store.ts';

let t: TestApp;
let child: ChildProcess | undefined;
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  await addCustomFields(t.db);
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1, fld102)
    select i, 's' || i || '@example.org', i from generate_series(1, 20) i`);
});
afterAll(() => t.close());
afterEach(() => child?.kill('SIGKILL'));

const at = new Date('2026-11-20T10:00:00Z');
const select = <T>(work: (selection: Selection) => Promise<T>) =>
  Selection.select({ app: t.app, db: t.db, at, reader: 'task', limitMs: 60_000 }, work);
/** Runs statements over the set of one target. */
const withSet = <T>(selection: Selection, id: number, work: (set: Sql) => Promise<T>) =>
  selection.evaluate([id], (members) => work(members.get(id)!.query));

/** A target with an expression, which was not tried. */
async function targetBy(text: string | null, excludedTargets: number[] = []): Promise<number> {
  const parameters = parametersOf({ name: 'a', excludedTargets });
  const idTarget = await insertTarget(t.db, parameters, { idUser: 1, userName: 'Ada' }, at);
  if (text !== null)
    await setFilter(t.db, { idTarget, kind: 'sql', isEnabled: true, definition: { sql: text } });
  return idTarget;
}

it('puts nothing that a user wrote into the statement that uses it', async () => {
  const marked = await targetBy("fld1 <> 'mark of a user' and fld102 > 18");
  const id = await targetBy('fld102 > 10', [marked]);
  await select((selection) =>
    withSet(selection, id, async (set) => {
      expect(set.text).not.toContain('mark of a user');
      expect(set.text).not.toContain('fld102');
      const rows = await selection.tx.rows<{ fld0: number }>(sql`select fld0 from (${set}) s order by fld0`);
      expect(rows.map((row) => row.fld0)).toEqual([11, 12, 13, 14, 15, 16, 17, 18]);
    }),
  );
});

it('selects from one snapshot: no concurrently added subscriber is selected or missed by an exclusion', async () => {
  const id = await targetBy(null, [await targetBy('fld102 = -1')]);
  let runs = 0;
  await select(async (selection) => {
    const { tx } = selection;
    expect(await tx.one(sql`select count(*)::int as n from ${tx.t.subscriber}`)).toEqual({ n: 20 });
    // After the transaction's first read, and before the expression: one is added who is excluded.
    if (++runs === 2) {
      await t.db.run(sql`
        insert into ${t.db.t.subscriber} (fld0, fld1, fld102) values (100, 'new@example.org', -1)`);
      await t.db.run(sql`update ${t.db.t.subscriber} set fld102 = -1 where fld0 = 1`);
    }
    await withSet(selection, id, async (set) => {
      // And between the expression and the statement that uses it.
      await t.db.run(sql`update ${t.db.t.subscriber} set fld102 = -1 where fld0 = 2`);
      await t.db.run(sql`
        insert into ${t.db.t.subscriber} (fld0, fld1, fld102) values (101, 'newer@example.org', -1)`);
      expect(await tx.one(sql`select count(*)::int as n from (${set}) s`)).toEqual({ n: 20 });
    });
  });
  expect(runs).toBe(2);
  expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({ data: 18 });
  await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 > 20`);
  await t.db.run(sql`update ${t.db.t.subscriber} set fld102 = fld0 where fld0 <= 2`);
});

it('runs again when a row that it changes was changed in the meantime', async () => {
  const id = await targetBy('fld102 > 10');
  let runs = 0;
  const found = await select((selection) => {
    runs++;
    return withSet(selection, id, async (set) => {
      const { tx } = selection;
      if (runs === 2) await t.db.run(sql`update ${t.db.t.target} set name = 'b' where id = ${id}`);
      await tx.run(sql`update ${tx.t.target} set name = name || 'c' where id = ${id}`);
      return tx.one(sql`select count(*)::int as n from (${set}) s`);
    });
  });
  expect([runs, found]).toEqual([3, { n: 10 }]);
  expect(await t.db.one(sql`select name from ${t.db.t.target} where id = ${id}`)).toEqual({ name: 'bc' });
});

it('works out many expressions at once, each as if it were alone', async () => {
  const ids: number[] = [];
  for (let n = 1; n <= 40; n++) ids.push(await targetBy(`fld102 % ${n} = 0 and fld102 <= ${n * 2}`));
  const alone: number[] = [];
  for (const id of ids) alone.push((await t.call('GET', `/targets/${id}/count`)).data);
  const together = await select((selection) =>
    selection.evaluate(ids, async (all) => {
      const counts: number[] = [];
      for (const { query } of all.values()) {
        const row = await selection.tx.one<{ n: number }>(sql`select count(*)::int as n from (${query}) s`);
        counts.push(row.n);
      }
      return counts;
    }),
  );
  expect(together).toEqual(alone);
  expect(together[0]).toBe(2);
});

it('finds everybody, however far apart the ids are', async () => {
  const id = await targetBy('fld102 > 18');
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1, fld102)
    values (4194305, 'far@example.org', 30), (12000000, 'farther@example.org', 31)`);
  expect(await t.call('GET', `/targets/${id}/subscriber-ids`)).toMatchObject({
    data: [19, 20, 4_194_305, 12_000_000],
  });
  await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 > 20`);
});

it('a killed process leaves no statement, connection or lock behind', async () => {
  await addBurning(t.db);
  const id = await targetBy(burningExpression);
  child = startWork(t, { calls: [['GET', `/v1/demo/targets/${id}/count`]], token: t.token('sender') });
  await untilBurning(t, 1);
  await killWork(child);
  await until(() => isAlone(t.app.control), 'PostgreSQL notices');
  // Including parallel workers; autovacuum, which may run at any time, has its own locks.
  const locks = sql`
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where a.datname = current_database() and a.pid <> pg_backend_pid() and l.relation is not null
      and a.backend_type <> 'autovacuum worker'`;
  await until(async () => (await t.app.control.rows(locks)).length === 0, 'its locks are gone');
  await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 > 20`);
});
