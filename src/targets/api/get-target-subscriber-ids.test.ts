import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { evaluationFailures, type FailingTargets, failingTargets } from '../../testing/failing-targets.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('getTargetSubscriberIds', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 gives the ids, ascending', async () => {
    const id = await create({ isRandomMode: true });
    expect(await t.call('GET', `/targets/${id}/subscriber-ids`)).toMatchObject({ status: 200, data: [] });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1) values (7, 'a@b.fr'), (3, 'c@b.fr'), (12, 'd@b.fr')`);
    expect(await t.call('GET', `/targets/${id}/subscriber-ids`)).toMatchObject({
      status: 200,
      data: [3, 7, 12],
      typeName: 'Int32[]',
    });
  });

  it.each(evaluationFailures)('%i where the target cannot be evaluated', async (status, words) => {
    await makeSubscribers(t.db, [status]);
    const failing: FailingTargets = await failingTargets(t);
    expect(await t.call('GET', `/targets/${failing[status]}/subscriber-ids`)).toMatchObject({
      status,
      data: null,
      error: expect.stringContaining(words),
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('GET', `/targets/${id}/subscriber-ids`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
