import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { failingTargets } from '../../testing/failing-targets.ts';
import { setFilter } from '../filter-store.ts';
import { targetsOperations } from '../operations.ts';

describe('listSubscriberTargets', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await makeSubscribers(t.db, [1, 2, 3, 4]);
  });
  afterAll(() => t.close());

  const list = (idSubscriber: number, query: Record<string, number> = {}) =>
    t.call('GET', `/subscribers/${idSubscriber}/targets`, { query, as: 'reader' });
  const statesFor = async (idSubscriber: number) => {
    const { items } = (await list(idSubscriber)).data as { items: { idTarget: number; state: string }[] };
    return new Map(items.map(({ idTarget, state }) => [idTarget, state]));
  };
  const holds = (...ids: number[]) => makeTarget(t.db, { ids, isSafe: false });
  const update = (id: number, change: object) =>
    t.call('PUT', `/targets/${id}`, { body: { name: 'Changed', ...change } });

  it('200 lists the targets with whether each selects the subscriber, the last changed first', async () => {
    const [first, second] = [await holds(1, 2), await holds(2, 3)];
    const all = await makeTarget(t.db, { isSafe: false });
    const archived = await holds(2);
    await t.call('POST', `/targets/${archived}/archive`);
    t.clock.advance(1_000);
    await update(first, { name: 'Customers' });
    const reply = await list(2);
    expect(reply).toMatchObject({
      status: 200,
      data: {
        totalCount: 3,
        count: 3,
        start: 0,
        items: [{ idTarget: first, name: 'Customers', state: 'In' }, {}, {}],
      },
    });
    expect(await statesFor(2)).toEqual(new Map([first, second, all].map((id) => [id, 'In'])));
    expect(await statesFor(1)).toEqual(
      new Map([
        [first, 'In'],
        [second, 'NotIn'],
        [all, 'In'],
      ]),
    );
    expect((await list(2, { 'filter.start': 1, 'filter.limit': 1 })).data).toMatchObject({
      ...{ totalCount: 3, count: 1, start: 1 },
    });
  });

  it('200 agrees with the ids that the target selects', async () => {
    const filters = [{ idField: 1, operator: 'Contains', value: '2' }];
    const field = await makeTarget(t.db, { isSafe: false });
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: field, filters } });
    const written = await makeTarget(t.db, { isSafe: false });
    // It fails for subscriber 4, whom nobody asks about; for others it holds from 2 on.
    await setFilter(t.db, {
      ...{ idTarget: written, kind: 'sql', isEnabled: true },
      definition: { sql: 'fld0 >= 2 AND 1 / (fld0 - 4) <= 0' },
    });
    const behaviour = await makeTarget(t.db, { isSafe: false });
    await t.call('PUT', '/targets/filters/behaviour', {
      body: {
        ...{
          idTarget: behaviour,
          didAnAction: false,
          action: 'Open',
          behaviourType: 'NbDays',
          nbDaysAgo: 30,
        },
        ...{ nbTime: '1', nbTimeAndDayOperator: 'GreaterOrEqual' },
      },
    });
    for (const id of [field, behaviour]) {
      const ids = (await t.call('GET', `/targets/${id}/subscriber-ids`)).data as number[];
      for (const one of [1, 2, 3, 4])
        expect([id, one, (await statesFor(one)).get(id)]).toEqual([
          id,
          one,
          ids.includes(one) ? 'In' : 'NotIn',
        ]);
    }
    const states = await Promise.all([1, 2, 3, 4].map(async (one) => (await statesFor(one)).get(written)));
    expect(states).toEqual(['NotIn', 'In', 'In', 'Failed']);
  });

  it('200 with Undecided where only a cut decides', async () => {
    const [cut, excluding] = [await holds(1, 2), await holds(2, 3)];
    expect(await update(cut, { maxSelect: 1, isRandomMode: true })).toMatchObject({ status: 200 });
    expect(await update(excluding, { excludedTargets: [cut] })).toMatchObject({ status: 200 });
    const outer = await holds(1, 2, 3);
    await update(outer, { excludedTargets: [excluding] });
    const of = async (one: number) => {
      const states = await statesFor(one);
      return [cut, excluding, outer].map((id) => states.get(id));
    };
    expect(await of(1)).toEqual(['Undecided', 'NotIn', 'In']);
    expect(await of(2)).toEqual(['Undecided', 'Undecided', 'Undecided']);
    expect(await of(3)).toEqual(['NotIn', 'In', 'NotIn']);
    expect(await of(4)).toEqual(['NotIn', 'NotIn', 'NotIn']);
  });

  it('200 with Failed for a target that cannot be evaluated, and the states of the others', async () => {
    const failing = await failingTargets(t);
    const states = await statesFor(1);
    expect(Object.values(failing).map((id) => states.get(id))).toEqual(['Failed', 'Failed', 'Failed']);
    expect([...states.values()]).toContain('In');
    await t.db.run(
      sql`update ${t.db.t.target} set deleted_at = now() where id = any(${Object.values(failing)})`,
    );
  });

  it('400 for more targets than one request evaluates', async () => {
    expect(await list(1, { 'filter.limit': 21 })).toMatchObject({
      status: 400,
      error: expect.stringContaining('filter.limit'),
    });
  });

  it('404 for an unknown subscriber and one of another site', async () => {
    await makeSubscribers(t.otherDb, [77]);
    for (const id of [77, 99_999])
      expect(await list(id)).toMatchObject({ status: 404, error: 'Subscriber not found' });
  });
});
