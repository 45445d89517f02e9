import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { subscribersOperations } from '../operations.ts';

describe('resubscribe', () => {
  let t: TestApp;
  const [long, day] = [new Date('2001-01-01T00:00:00Z'), new Date('2026-11-01T08:00:00Z')];
  const now = new Date('2026-11-20T10:00:00Z');
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld2, fld3, fld4, fld5, fld6, fld7)
      select 'p' || n || '@example.com', ${long}, ${long}, ${long}, 'fair', 'fair', 1 from generate_series(1, 3) n`);
  });

  const post = (body: unknown) => t.call('POST', '/subscribers/resubscribe', { body, as: 'editor' });
  const row = (id: number) =>
    t.db.one(
      sql`select fld2, fld3, fld4, fld5, fld6, fld7, fld8, fld10 from ${t.db.t.subscriber} where fld0 = ${id}`,
    );

  it('200 sets status, last date and last origin, and leaves the first ones', async () => {
    const reply = await post([
      { idSubscriber: 1, lastOrigin: 'site', date: '2026-11-01T09:00:00+01:00' },
      { idSubscriber: 99, lastOrigin: 'site' },
      { idSubscriber: 2, lastOrigin: 'shop', date: null, subscribeToPartnersOffers: true },
    ]);
    expect(reply).toMatchObject({ status: 200, data: [true, false, true], typeName: 'Boolean[]' });
    const first = { fld2: long, fld4: long, fld5: 'fair', fld7: 0 };
    expect(await row(1)).toEqual({ ...first, fld3: day, fld6: 'site', fld8: null, fld10: null });
    expect(await row(2)).toEqual({ ...first, fld3: now, fld6: 'shop', fld8: 1, fld10: now });
    expect(await row(3)).toMatchObject({ fld7: 1 });
  });

  it('200 takes the same person twice, in order', async () => {
    const { data } = await post([
      { idSubscriber: 1, lastOrigin: 'a', date: day, subscribeToPartnersOffers: true },
      { idSubscriber: 1, lastOrigin: 'b' },
    ]);
    expect(data).toEqual([true, true]);
    expect(await row(1)).toMatchObject({ fld6: 'b', fld3: now, fld8: 1, fld10: day });
  });

  it.each([
    [[{ idSubscriber: 1 }], '[0].lastOrigin: is required'],
    [[{ lastOrigin: 'a' }], '[0].idSubscriber: is required'],
    [[{ idSubscriber: 1, lastOrigin: 'o'.repeat(256) }], '[0].lastOrigin: must have at most 255'],
    [[{ idSubscriber: 1, lastOrigin: '' }], '[0].lastOrigin: must have at least 1 character'],
    [[{ idSubscriber: 1, lastOrigin: ' \u00a0' }], '[0].lastOrigin: must not be blank'],
    [[{ idSubscriber: 1, lastOrigin: 'a\nb' }], '[0].lastOrigin: holds characters'],
    [[{ idSubscriber: 1, lastOrigin: 'a', date: 'today' }], '[0].date: '],
    [[{ idSubscriber: 1, lastOrigin: 'a', date: '2026-11-20T23:59:60Z' }], '[0].date: '],
    [[{ idSubscriber: 1, lastOrigin: 'a', firstOrigin: 'b' }], '[0].firstOrigin: unknown member'],
    [Array.from({ length: 5001 }, () => ({ idSubscriber: 1, lastOrigin: 'a' })), 'at most 5000 items'],
  ])('400 %#', async (body, message) => {
    const { status, error } = await post(body);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
    expect(await row(1)).toMatchObject({ fld7: 1, fld6: 'fair' });
  });
});
