import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { subscribersOperations } from '../operations.ts';
import type { Subscriber } from '../subscriber.ts';
import { deliveryState, worsenDelivery } from '../subscription.ts';

describe('modifySubscribers', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
    await addCustomFields(t.db);
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld40, fld101, fld102)
      select 'p' || n || '@example.com', '75001', 'old', n from generate_series(1, 5) n`);
  });

  const put = (body: unknown) => t.call('PUT', '/subscribers', { body, as: 'editor' });
  const set = (id: number, values: Record<number, unknown>) => ({
    id,
    fields: Object.entries(values).map(([idField, value]) => ({ idField: Number(idField), value })),
  });
  const shown = (data: unknown, ...ids: number[]) =>
    (data as (Subscriber | null)[]).map(
      (one) => one && ids.map((id) => one.fields.find(({ idField }) => idField === id)?.value),
    );
  const stored = async () =>
    (await t.db.rows<{ v: string }>(sql`select fld101 as v from ${t.db.t.subscriber} order by fld0`)).map(
      ({ v }) => v,
    );

  it('200 the delivery state of an address ends with it', async () => {
    const since = new Date('2026-01-01T00:00:00Z');
    await t.db.run(sql`update ${t.db.t.subscriber} set fld44 = 2, fld45 = ${since}`);
    const reply = await put([
      set(1, { 1: 'new@example.com' }),
      set(2, { 1: 'P2@example.com' }),
      set(3, { 101: 'x' }),
      set(4, { 1: 'newer@example.com', 44: 3 }),
    ]);
    const now = t.app.clock.now().toISOString();
    expect(shown(reply.data, 44, 45)).toEqual([
      [0, now],
      [2, since.toISOString()],
      [2, since.toISOString()],
      [3, now],
    ]);
  });

  it('400 for a value that no rule takes and that an earlier element has replaced, or that differs', async () => {
    // As an earlier version may have left it.
    await t.db.run(sql`update ${t.db.t.subscriber} set fld105 = 99 where fld0 = 1`);
    expect((await put([set(1, { 105: 99 })])).status).toBe(200);
    for (const [body, position] of [
      [[set(1, { 105: 1 }), set(1, { 105: 99 })], 1],
      [[set(2, { 101: 'x' }), set(1, { 105: 98 }), set(3, { 999: 1 })], 1],
      [[set(999, { 105: 99 }), set(3, { 999: 1 })], 0],
    ] as const) {
      const { status, error } = await put(body);
      expect([status, error]).toEqual([400, expect.stringContaining(`(at position ${position})`)]);
    }
    expect(await stored()).toEqual(['old', 'old', 'old', 'old', 'old']);
  });

  it('200 a late bounce says nothing of an address that was given since', async () => {
    await put([set(1, { 1: 'new@example.com' })]);
    const at = t.app.clock.now();
    const before = new Date(at.getTime() - 86_400_000);
    const { hardBounced } = deliveryState;
    const states = async () =>
      (
        await t.db.rows<{ state: number }>(sql`
          select fld44 as state from ${t.db.t.subscriber} where fld0 in (1, 2) order by fld0`)
      ).map(({ state }) => state);
    for (const id of [1, 2]) await worsenDelivery(t.db, id, hardBounced, { at, sentAt: before });
    expect(await states()).toEqual([0, hardBounced]);
    await worsenDelivery(t.db, 1, hardBounced, { at, sentAt: at });
    expect(await states()).toEqual([hardBounced, hardBounced]);
  });

  it('200 changes only what is given, whatever each element gives, null for an unknown id', async () => {
    const reply = await put([
      set(2, { 101: 'new', 104: true }),
      set(99, { 101: 'x' }),
      set(1, { 102: null }),
      set(3, {}),
      set(4, { 1: 'Q4@Other.example', 40: '97110', 8: 1 }),
    ]);
    expect(reply).toMatchObject({ status: 200, typeName: 'Subscriber[]' });
    expect(shown(reply.data, 0, 1, 37, 42, 8, 101, 102, 104)).toEqual([
      [2, 'p2@example.com', 'example.com', '75', null, 'new', 2, true],
      null,
      [1, 'p1@example.com', 'example.com', '75', null, 'old', null, null],
      [3, 'p3@example.com', 'example.com', '75', null, 'old', 3, null],
      [4, 'Q4@other.example', 'other.example', '971', 1, 'old', 4, null],
    ]);
    expect(await stored()).toEqual(['old', 'new', 'old', 'old', 'old']);
  });

  it('200 takes the same subscriber twice, the later element on top of the earlier one', async () => {
    const { data } = await put([set(1, { 101: 'a' }), set(1, { 102: 9 }), set(1, { 101: 'b' })]);
    expect(shown(data, 101, 102)).toEqual([
      ['a', 1],
      ['a', 9],
      ['b', 9],
    ]);
  });

  it('200 passes an address from one subscriber to the next, in any order, and in a circle', async () => {
    for (const [from, to] of [
      [1, 2],
      [2, 1],
      [5, 3],
    ] as const) {
      const row = await t.db.one<{ email: string }>(sql`
        select fld1 as email from ${t.db.t.subscriber} where fld0 = ${from}`);
      const reply = await put([set(from, { 1: `free${from}@example.com` }), set(to, { 1: row.email })]);
      expect([reply.status, reply.error]).toEqual([200, null]);
      expect(shown(reply.data, 1)).toEqual([[`free${from}@example.com`], [row.email]]);
    }
    const swap = await put([
      set(1, { 43: 1 }),
      set(2, { 43: 2 }),
      set(1, { 43: null }),
      set(2, { 43: 1 }),
      set(1, { 43: 2 }),
    ]);
    expect(shown(swap.data, 43)).toEqual([[1], [2], [null], [1], [2]]);
  });

  it('200 keeps its own email in another case', async () => {
    expect(await put([set(1, { 1: 'P1@EXAMPLE.com' })])).toMatchObject({ status: 200 });
  });

  it('409 names the position of an email that another caller has, and changes nobody', async () => {
    expect(await put([set(3, { 101: 'x' }), set(1, { 1: 'P2@example.com' })])).toMatchObject({
      status: 409,
      data: null,
      error:
        'An error occurred: Cannot insert a duplicate subscriber because his email already exists in the ' +
        'database. (at position 1)',
    });
    expect(await stored()).toEqual(['old', 'old', 'old', 'old', 'old']);
  });

  it.each([
    ['an email', set(1, { 1: 'twice@example.com' }), set(3, { 1: 'Twice@EXAMPLE.com' }), 'his email already'],
    [
      'a client id',
      set(1, { 43: 7 }),
      set(3, { 43: 7 }),
      'Field 43 (Client identifier): already belongs to another',
    ],
  ])('409 names the position of %s that the call gives a second time', async (_, one, other, words) => {
    const { status, error } = await put([set(2, { 101: 'x' }), one, set(4, { 101: 'x' }), other]);
    expect({ status, error }).toEqual({ status: 409, error: expect.stringContaining(words) });
    expect(error).toMatch(/ \(at position 3\)$/);
    expect(await stored()).toEqual(['old', 'old', 'old', 'old', 'old']);
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', [set(1, { 101: 'x' }), set(2, { 999: 1 })], 'Field 999: is unknown (at position 1)'],
    ['field 0', [set(1, { 0: 7 })], 'Field 0 (Identifier): is filled by the service'],
    ['field 37', [set(1, { 37: 'a.b' })], 'Field 37 (Email domain): is filled'],
    ['no email', [set(1, { 1: null })], 'Field 1 (Email): cannot be emptied'],
    ['no status', [set(1, { 7: null })], 'Field 7 (Status): cannot be emptied'],
    ['a bad value', [set(1, { 103: 'tomorrow' })], 'Field 103 (Naissance): must be an ISO 8601'],
    ['no id', [{ fields: [] }], '[0].id: is required'],
    [
      '5,001 subscribers',
      Array.from({ length: 5001 }, () => set(1, {})),
      'body: must have at most 5000 items',
    ],
  ])('400 names %s, and changes nobody', async (_, body, message) => {
    const { status, error } = await put(body);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
    expect(await stored()).toEqual(['old', 'old', 'old', 'old', 'old']);
  });

  it('200 for 5,000 in a handful of statements', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'm' || n || '@example.com' from generate_series(1, 5000) n`);
    const body = Array.from({ length: 5000 }, (_, i) =>
      set(6 + i, i % 2 ? { 101: `${i}` } : { 102: i, 104: true }),
    );
    const { status, data } = await put(body);
    expect(status).toBe(200);
    expect(shown((data as unknown[]).slice(0, 2), 0, 101, 102)).toEqual([
      [6, null, 0],
      [7, '1', null],
    ]);
  });

  it('200 for calls about the same persons at once, in opposite orders', async () => {
    const ids = [1, 2, 3, 4, 5];
    const calls = Array.from({ length: 12 }, (_, i) =>
      put((i % 2 ? ids : ids.toReversed()).map((id) => set(id, { 102: i }))),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    const rows = await t.db.rows(sql`select distinct fld102 from ${t.db.t.subscriber}`);
    expect(rows).toHaveLength(1);
  });

  it('413 for a body of more than 8 MB', async () => {
    expect(await put([set(1, { 101: 'x'.repeat(8 * 1024 ** 2) })])).toMatchObject({
      status: 413,
      data: null,
      error: 'The body is larger than the 8 MB that this operation takes',
    });
  });
});
