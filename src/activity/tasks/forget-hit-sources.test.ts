import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { startTurn } from '../hit-store.ts';
import { forgetHitSources } from './forget-hit-sources.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp({ operations: [] });
});
afterAll(() => test.close());

it('forgets sources that stored nothing for 30 days, on every site, and may run twice', async () => {
  const { app } = test;
  const [old, young] = [randomUUID(), randomUUID()];
  for (const db of [test.db, test.otherDb]) {
    for (const source of [old, young]) await startTurn(db, source);
    await db.run(sql`
      update ${db.t.hit_source} set at = ${app.clock.now()}::timestamptz - make_interval(days =>
        case when source = ${old}::uuid then 31 else 29 end)`);
  }
  for (let times = 0; times < 2; times++) {
    await forgetHitSources.run(app, {}, new AbortController().signal);
    for (const db of [test.db, test.otherDb]) {
      expect(await db.rows(sql`select source from ${db.t.hit_source}`)).toEqual([{ source: young }]);
    }
  }
});

it('forgets those of the other sites where one is damaged', async () => {
  const { app, db, otherDb } = test;
  await startTurn(otherDb, randomUUID());
  const long = new Date(app.clock.now().getTime() - 99 * 86_400_000);
  await otherDb.run(sql`update ${otherDb.t.hit_source} set at = ${long}`);
  // Its name comes first, so the others are processed after its failure.
  await app.control.pool.query(`alter table ${db.site.schema}.hit_source rename to gone`);
  await forgetHitSources.run(app, {}, new AbortController().signal);
  expect(await otherDb.rows(sql`select from ${otherDb.t.hit_source}`)).toEqual([]);
});
