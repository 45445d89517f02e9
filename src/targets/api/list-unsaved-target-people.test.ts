import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Person } from '../../subscribers/person.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { evaluationFailures, failingTargets } from '../../testing/failing-targets.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('listUnsavedTargetPeople', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7)
      select 's' || i || '@example.org', i % 2 from generate_series(1, 60) i`);
  });
  afterAll(() => t.close());

  const list = (body: unknown, query: Readonly<Record<string, number | string>> = {}) =>
    t.call('POST', '/targets/people-unsaved', { body, query, as: 'reader' });
  const idsOf = async (body: unknown, query?: Readonly<Record<string, number | string>>) =>
    ((await list(body, query)).data as Person[]).map(({ idSubscriber }) => idSubscriber);
  const subscribed = { filters: [{ idField: 7, operator: 'Equal', value: '0' }] };
  const even = (from: number, to: number) =>
    Array.from({ length: 60 }, (_, i) => i + 1).filter((id) => id % 2 === 0 && id >= from && id <= to);

  it('200 with the people whom the target would select, by id, page by page', async () => {
    const filters = { field: subscribed, sql: { sql: 'fld0 <= 40' } };
    const reply = await list({ filters }, { limit: 2 });
    expect(reply).toMatchObject({ status: 200, typeName: 'Person[]' });
    expect(reply.data).toEqual([
      { idSubscriber: 2, email: 's2@example.org' },
      { idSubscriber: 4, email: 's4@example.org' },
    ]);
    expect(await idsOf({ filters }, { limit: 10, after: 4 })).toEqual(even(6, 24));
    expect(await idsOf({ filters }, { limit: 10, after: 24 })).toEqual(even(26, 40));
    expect(await idsOf({ filters }, { after: 40 })).toEqual([]);
    expect(await idsOf({ filters }, { search: 'S2' })).toEqual([2, 20, 22, 24, 26, 28]);
    expect(await idsOf({ filters }, { search: 'S2', limit: 2, after: 20 })).toEqual([22, 24]);
    // As many as countUnsavedTarget counts among the same ten.
    expect(await idsOf({ filters, among: 10 })).toEqual(even(1, 10));
    expect(await idsOf({ filters: {}, among: 3 })).toEqual([1, 2, 3]);
    // A cut is of those among whom the people are looked for.
    const half = { filters, among: 20, pctSelect: 50 };
    expect(await idsOf(half)).toEqual(even(1, 10));
    expect((await t.call('POST', '/targets/count-unsaved', { body: half })).data).toMatchObject({ count: 5 });
    expect((await t.call('GET', '/targets/all')).data).toMatchObject({ totalCount: 0 });
  });

  it('200 with as many people as each step of countUnsavedTarget leaves', async () => {
    const ten = await makeTarget(t.db, { ids: Array.from({ length: 10 }, (_, i) => i + 1), isSafe: false });
    const sqlFilter = { sql: 'fld0 <= 40' };
    const whole = { filters: { field: subscribed, sql: sqlFilter }, excludedTargets: [ten], pctSelect: 50 };
    const upTo = [
      { filters: {} },
      { filters: { field: subscribed } },
      { filters: whole.filters },
      { filters: whole.filters, excludedTargets: [ten] },
      whole,
    ];
    const { data } = await t.call('POST', '/targets/count-unsaved', { body: whole });
    const { total, steps, count } = data as { total: number; steps: { count: number }[]; count: number };
    const lists = await Promise.all(upTo.map((body) => idsOf(body)));
    expect(lists.map(({ length }) => length)).toEqual([total, ...steps.map((step) => step.count)]);
    expect(lists.at(-1)).toEqual(even(12, 26));
    expect(count).toBe(8);
    const three = { filters: { field: subscribed }, maxSelect: 3 };
    expect(await idsOf(three)).toEqual([2, 4, 6]);
    expect(await idsOf(three, { after: 4 })).toEqual([6]);
    expect(await idsOf({ ...three, isRandomMode: true })).toHaveLength(3);
  });

  it.each([
    [
      { filters: { field: { filters: [{ idField: 7, operator: 'Greater', value: 'x' }] } } },
      'field.filters[0]',
    ],
    [{ filters: { sql: { sql: 'fld0 >' } } }, 'sql.sql: '],
    [{ filters: {}, pctSelect: 0 }, 'pctSelect'],
    [{ filters: {}, among: 0 }, 'among'],
  ])('400 names the filter and the property: %j', async (body, error) => {
    expect(await list(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an excluded target that is unknown or of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)])
      expect(await list({ filters: {}, excludedTargets: [id] })).toMatchObject({
        status: 404,
        error: 'Target not found',
      });
  });

  it('409, 422 and 503 when an excluded target cannot be evaluated', async () => {
    const failing = await failingTargets(t);
    for (const [status, error] of evaluationFailures)
      expect(await list({ filters: {}, excludedTargets: [failing[status]] })).toMatchObject({
        status,
        error: expect.stringContaining(error),
      });
  });
});
