import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, failingTargets } from '../../testing/failing-targets.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('countUnsavedTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7, fld41)
      select 's' || i || '@example.org', i % 2, case when i % 3 = 0 then 'BE' end from generate_series(1, 60) i`);
  });
  afterAll(() => t.close());

  const count = (body: unknown) => t.call('POST', '/targets/count-unsaved', { body, as: 'reader' });
  const subscribed = { filters: [{ idField: 7, operator: 'Equal', value: '0' }] };

  it('200 counts what each filter leaves, and saves nothing', async () => {
    expect(await count({ filters: { field: subscribed } })).toMatchObject({
      status: 200,
      data: { total: 60, steps: [{ step: 'field', count: 30 }], count: 30 },
    });
    expect((await t.call('GET', '/targets/all')).data).toMatchObject({ totalCount: 0 });
    expect((await t.db.one(sql`select count(*) as count from ${t.db.t.target_filter}`)).count).toBe(0);
  });

  it('200 counts in the order of the kinds, then without excluded targets, then the limit', async () => {
    const ten = await makeTarget(t.db, { ids: Array.from({ length: 10 }, (_, i) => i + 1), isSafe: false });
    const filters = { sql: { sql: 'fld0 <= 40' }, field: subscribed };
    expect((await count({ filters, excludedTargets: [ten], pctSelect: 50 })).data).toEqual({
      total: 60,
      steps: [
        { step: 'field', count: 30 },
        { step: 'sql', count: 20 },
        { step: 'excludedTargets', count: 15 },
        { step: 'limit', count: 8 },
      ],
      count: 8,
    });
    const { data } = await count({ filters, maxSelect: 3, isRandomMode: true });
    expect(data).toMatchObject({ steps: [{}, {}, { step: 'limit', count: 3 }], count: 3 });
  });

  it('200 counts among the subscribers with the lowest ids only', async () => {
    const ten = await makeTarget(t.db, { ids: Array.from({ length: 10 }, (_, i) => i + 1), isSafe: false });
    const filters = { sql: { sql: 'fld0 > 5 AND fld7 = 0' } };
    expect((await count({ filters, among: 20 })).data).toEqual({
      total: 20,
      steps: [{ step: 'sql', count: 8 }],
      count: 8,
    });
    expect((await count({ filters: { ...filters, field: subscribed }, among: 20 })).data).toMatchObject({
      steps: [
        { step: 'field', count: 10 },
        { step: 'sql', count: 8 },
      ],
    });
    expect((await count({ filters, excludedTargets: [ten], among: 20 })).data).toMatchObject({ count: 5 });
    expect((await count({ filters, among: 1_000 })).data).toMatchObject({ total: 60, count: 28 });
    expect(await count({ filters, among: 1_001 })).toMatchObject({
      status: 400,
      error: expect.stringContaining('among'),
    });
    // Values of others are not read.
    expect(await count({ filters: { sql: { sql: '1 / (fld0 - 60) = 0' } }, among: 20 })).toMatchObject({
      status: 200,
      data: { count: 20 },
    });
  });

  it('200 counts everybody without a filter, and skips a filter without a condition', async () => {
    for (const filters of [{}, { field: null }, { field: { filters: [] }, sql: { sql: '' } }])
      expect((await count({ filters })).data).toEqual({ total: 60, steps: [], count: 60 });
  });

  it('200 counts as countTarget does once the target is saved', async () => {
    const field = {
      filters: [
        { idField: 7, operator: 'Equal', value: '1' },
        { idField: 1, operator: 'Contains', value: '3' },
      ],
    };
    const created = await t.call('POST', '/targets', { body: { name: 'Saved', pctSelect: 70 } });
    const { id: idTarget } = created.data as { id: number };
    await t.call('PUT', '/targets/filters/field', { body: { idTarget, ...field } });
    const saved = (await t.call('GET', `/targets/${idTarget}/count`)).data;
    expect(saved).toBeGreaterThan(0);
    expect((await count({ filters: { field }, pctSelect: 70 })).data).toMatchObject({ count: saved });
  });

  it.each([
    [{ field: { filters: [{ idField: 7, operator: 'Greater', value: 'x' }] } }, 'field.filters[0]'],
    [{ sql: { sql: 'fld0 >' } }, 'sql.sql: '],
    [{ sql: { sql: '1 / (fld0 - 1) > 0' } }, 'sql.sql: '],
    [{ reactivity: {} }, 'reactivity'],
    [{ field: { idTarget: 1, ...subscribed } }, 'idTarget'],
  ])('400 names the filter and the property: %j', async (filters, error) => {
    expect(await count({ filters })).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('400 for a share of 0', async () => {
    expect((await count({ filters: {}, pctSelect: 0 })).error).toContain('pctSelect');
  });

  it('404 for an excluded target that is unknown or of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await count({ filters: {}, excludedTargets: [id] })).toMatchObject({
        status: 404,
        error: 'Target not found',
      });
    }
  });

  it('409, 422 and 503 when an excluded target cannot be evaluated', async () => {
    const failing = await failingTargets(t);
    for (const [status, error] of evaluationFailures) {
      expect(await count({ filters: {}, excludedTargets: [failing[status]] })).toMatchObject({
        status,
        error: expect.stringContaining(error),
      });
    }
  });
});
