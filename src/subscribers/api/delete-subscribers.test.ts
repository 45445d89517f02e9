import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { subscribersOperations } from '../operations.ts';

describe('deleteSubscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber}, ${t.db.t.archived_subscriber} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'p' || n || '@example.com' from generate_series(1, 6) n`);
  });

  const left = async () =>
    (await t.db.rows<{ id: number }>(sql`select fld0 as id from ${t.db.t.subscriber} order by 1`)).map(
      ({ id }) => id,
    );

  it('200 with ids in the query answers those deleted; unknown ones are absent', async () => {
    const reply = await t.call('DELETE', '/subscribers', { query: { idSubscribers: [5, 99, 2, 5] } });
    expect(reply).toMatchObject({ status: 200, data: [5, 2], typeName: 'Int32[]' });
    expect(await left()).toEqual([1, 3, 4, 6]);
    const { growth } = t.db.t;
    expect(await t.db.rows(sql`select nb_left from ${growth} where cause = 'deleted'`)).toEqual([
      { nb_left: 2 },
    ]);
  });

  it('200 with ids in the body', async () => {
    expect(await t.call('DELETE', '/subscribers', { body: [1, 2] })).toMatchObject({
      status: 200,
      data: [1, 2],
    });
    expect(await left()).toEqual([3, 4, 5, 6]);
  });

  it('200 deletes nobody when everybody is named', async () => {
    expect(await t.call('DELETE', '/subscribers', { body: [1, 2, 3, 4, 5, 6, 7] })).toMatchObject({
      status: 200,
      data: [],
    });
    expect(await left()).toHaveLength(6);
    expect(await t.db.rows(sql`select from ${t.db.t.archived_subscriber}`)).toEqual([]);
  });

  it('200 deletes not everybody when calls at once name everybody between them', async () => {
    for (let round = 0; round < 5; round++) {
      await t.db.run(sql`truncate ${t.db.t.subscriber}, ${t.db.t.archived_subscriber} restart identity`);
      await t.db.run(sql`
        insert into ${t.db.t.subscriber} (fld1) select 'p' || n || '@example.com' from generate_series(1, 6) n`);
      const calls = await Promise.all(
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ].map((body) => t.call('DELETE', '/subscribers', { body })),
      );
      expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(calls.flatMap(({ data }) => data as number[])).toHaveLength(4);
      expect(await left()).toHaveLength(2);
    }
  });

  it('200 twice: the second time nobody is there', async () => {
    const calls = await Promise.all([1, 2].map(() => t.call('DELETE', '/subscribers', { body: [3, 4] })));
    expect(calls.map(({ data }) => data as number[]).sort()).toEqual([[], [3, 4]]);
  });

  it.each([
    [{}, 'idSubscribers: is required'],
    [{ query: { idSubscribers: '1' }, body: [2] }, 'idSubscribers: must be in the query or in the body'],
    [{ query: { idSubscribers: 'x' } }, 'idSubscribers[0]: must be an integer'],
    [{ body: ['1'] }, '[0]: must be an integer'],
    [{ body: Array.from({ length: 5001 }, (_, i) => i) }, 'must have at most 5000 items'],
  ])('400 %#', async (options, message) => {
    const { status, error } = await t.call('DELETE', '/subscribers', options);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
  });

  it('403 for a reader', async () => {
    expect((await t.call('DELETE', '/subscribers', { body: [1], as: 'reader' })).status).toBe(403);
  });
});
