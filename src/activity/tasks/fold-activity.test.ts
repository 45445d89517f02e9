import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { hitKinds } from '../hit.ts';
import { foldActivity } from './fold-activity.ts';
import { foldSite, longestWaitS, nextFoldAfter } from './fold-site.ts';

describe('folding by itself', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [] });
  });
  afterAll(() => t.close());
  const { signal } = new AbortController();

  it.each([
    [0, 60, undefined],
    [4_999, 60, undefined],
    [5_000, 60, undefined],
    [54_000, 60, 60 / 10.8],
    [5_000, 5.5, 5.5],
    [40_000, 2, 2],
    [1, 2, undefined],
  ])('after %d facts in %d s the next fold comes after %d s', (facts, waited, expected) => {
    expect(nextFoldAfter(facts, waited)).toEqual(expected && expect.closeTo(expected));
  });

  it('requests a fold of the sites that have something to fold, and of no other', async () => {
    const { idsSent } = await makeJob(t.db);
    await makeHits(t.db, [makeHit(idsSent[0]!, 1, hitKinds.open)]);
    await foldActivity.run(t.app, {}, signal);
    const jobs = await t.app.control.rows(sql`
      select j.payload, k.identifier as task from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id`);
    expect(jobs).toEqual([{ task: 'foldSite', payload: { idSite: t.db.site.id, waitedS: longestWaitS } }]);
  });

  it('folds a site and leaves nothing waiting; a second run finds nothing', async () => {
    for (let times = 0; times < 2; times++) {
      await foldSite.run(t.app, { idSite: t.db.site.id, waitedS: 60 }, signal);
      const left = await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.hit_new}`);
      expect(left.n).toBe(0);
    }
    const all = await t.db.one<{ n: number }>(sql`select count(*) as n from ${t.db.t.hit}`);
    expect(all.n).toBe(1);
  });

  it('does nothing for a site that does not exist', async () => {
    await foldSite.run(t.app, { idSite: 99_999, waitedS: 60 }, signal);
  });
});
