import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, failingTargets } from '../../testing/failing-targets.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('countTargets', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await makeSubscribers(
      t.db,
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });
  afterAll(() => t.close());

  const count = (ids: unknown) => t.call('POST', '/targets/count', { body: { ids }, as: 'reader' });
  const create = async (body: object): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Cut', ...body } })).data as { id: number }).id;

  it('200 counts each target, and each subscriber of all and of the safe ones once', async () => {
    const safe = await makeTarget(t.db, { ids: [1, 2, 3] });
    const another = await makeTarget(t.db, { ids: [3, 4] });
    const unsafe = await makeTarget(t.db, { ids: [4, 5, 6, 7], isSafe: false });
    expect(await count([unsafe, safe, another])).toMatchObject({
      status: 200,
      data: {
        targets: [
          { idTarget: unsafe, isSafe: false, count: 4 },
          { idTarget: safe, isSafe: true, count: 3 },
          { idTarget: another, isSafe: true, count: 2 },
        ],
        safe: 4,
        all: 7,
      },
    });
    expect((await count([unsafe])).data).toMatchObject({ safe: 0, all: 4 });
  });

  it('200 counts targets that are cut, beside others', async () => {
    const lowest = await create({ maxSelect: 3 });
    const share = await create({ pctSelect: 26 });
    const others = await create({ excludedTargets: [lowest] });
    const none = await makeTarget(t.db, { ids: [999] });
    const { data } = await count([lowest, share, others, none]);
    expect(data).toMatchObject({
      targets: [{ count: 3 }, { count: 6 }, { count: 17 }, { count: 0 }],
      all: 20,
    });
  });

  it.each([
    ['no target', []],
    ['51 targets', Array.from({ length: 51 }, (_, i) => i + 1)],
    ['a target twice', [1, 1]],
  ])('400 for %s', async (_, ids) => {
    expect(await count(ids)).toMatchObject({ status: 400, error: expect.stringContaining('ids') });
  });

  it('404 for an unknown target and one of another site, beside one of its own', async () => {
    const own = await makeTarget(t.db);
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await count([own, id])).toMatchObject({ status: 404, data: null, error: 'Target not found' });
    }
  });

  it('409, 422 and 503 when one of the targets cannot be evaluated', async () => {
    const own = await makeTarget(t.db);
    const failing = await failingTargets(t);
    for (const [status, error] of evaluationFailures) {
      expect(await count([own, failing[status]])).toMatchObject({
        status,
        error: expect.stringContaining(error),
      });
    }
  });
});
