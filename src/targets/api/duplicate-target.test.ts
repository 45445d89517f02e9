import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { Hold } from '../../testing/hold.ts';
import { targetsOperations } from '../operations.ts';

describe('duplicateTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  const duplicate = (body: unknown, as: 'editor' | 'admin' = 'editor') =>
    t.call('POST', '/targets/duplicate', { body, as });

  it('200 copies parameters and filters', async () => {
    const other = await create();
    const id = await create({ name: 'Fidèles', pctSelect: 20, excludedTargets: [other] });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    await t.call('POST', `/targets/${id}/archive`);
    t.clock.advance(1_000);
    const reply = await duplicate(id);
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'Target',
      data: {
        parameters: { name: 'Copie de Fidèles', pctSelect: 20, excludedTargets: [other] },
        creationDate: '2026-11-20T10:00:01.000Z',
        hasFieldFilter: true,
        isSafe: true,
        isArchived: false,
      },
    });
    const copy = (reply.data as { id: number }).id;
    expect(copy).not.toBe(id);
    expect((await t.call('GET', `/targets/${copy}/filters/field`)).data).toMatchObject({
      idTarget: copy,
      filters,
    });
  });

  it('200 keeps a long name within 255 characters', async () => {
    const reply = await duplicate(await create({ name: '🏠'.repeat(255) }));
    expect((reply.data as { parameters: { name: string } }).parameters.name).toBe(
      `Copie de ${'🏠'.repeat(246)}`,
    );
  });

  it.each([0, 'x', null, { id: 1 }, [1], 1.5])('400 for the body %j', async (body) => {
    expect(await duplicate(body)).toMatchObject({ status: 400 });
  });

  it('409 when it would make a query of too many sets, as an older version may have left one', async () => {
    const ids: number[] = [];
    while (ids.length < 20) ids.push(await create());
    // Each of a pair excludes both of the pair before it: the sets double with every pair.
    await t.db.run(sql`
      update ${t.db.t.target} set excluded_targets = array[id - 2 - (id - ${ids[0]}) % 2, id - 1 - (id - ${ids[0]}) % 2]
      where id >= ${ids[2]}`);
    expect(await duplicate(ids.at(-1))).toMatchObject({
      status: 409,
      error: 'excludedTargets: a target would contain more than 200 excluded sets; exclude fewer targets',
    });
    await t.db.run(sql`update ${t.db.t.target} set excluded_targets = '{}'`);
  });

  it('404 when the target is deleted in the meantime; no copy without filters remains', async () => {
    const id = await create({ name: 'Soon gone' });
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    const turn = `exclusions of ${t.db.site.schema}`;
    const hold = await Hold.of(t.connection, `select pg_advisory_xact_lock(hashtextextended('${turn}', 0))`);
    const deleted = t.call('DELETE', `/targets/${id}`);
    await hold.reached(1);
    const copied = duplicate(id);
    await hold.reached(2);
    await hold.letGo();
    expect([(await deleted).status, await copied]).toMatchObject([
      200,
      { status: 404, error: 'Target not found' },
    ]);
    expect(await t.db.rows(sql`select from ${t.db.t.target} where name like '%Soon gone'`)).toHaveLength(1);
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await duplicate(id)).toMatchObject({ status: 404, error: 'Target not found' });
    }
  });
});
