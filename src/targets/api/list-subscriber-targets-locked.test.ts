import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { targetsOperations } from '../operations.ts';

describe('listSubscriberTargets, while an import writes', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await makeSubscribers(t.db, [1]);
    await makeTarget(t.db, { ids: [1], isSafe: false });
  });
  afterAll(() => t.close());

  const list = () => t.call('GET', '/subscribers/1/targets', { as: 'reader' });

  it('503 after ten seconds, which says nothing of the targets; 200 afterwards', async () => {
    await t.db.run(sql`update ${t.db.t.merge_state} set version = version + 1, id_import = 99, attempt = 1`);
    const reply = await list();
    await t.db.run(sql`update ${t.db.t.merge_state} set id_import = null`);
    expect(reply).toMatchObject({
      status: 503,
      error: expect.stringContaining('Import 99 has not written all of its rows'),
    });
    expect((await list()).data).toMatchObject({ items: [{ state: 'In' }] });
  });
});
