import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { subscribersOperations } from '../operations.ts';

describe('subscribe', () => {
  let t: TestApp;
  const now = new Date('2026-11-20T10:00:00Z');
  const day = new Date('2026-11-01T08:00:00Z');
  beforeAll(async () => {
    t = await testApp({ operations: subscribersOperations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`truncate ${t.db.t.subscriber} restart identity`);
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld5, fld7, fld21)
      select 'p' || n || '@example.com', 'old', 1, 'AUTRE' from generate_series(1, 3) n`);
  });

  const post = (body: unknown) => t.call('POST', '/subscribers/subscribe', { body, as: 'editor' });
  const row = (id: number) =>
    t.db.one(sql`
      select fld2, fld3, fld5, fld6, fld7, fld8, fld10, fld21, fld22 from ${t.db.t.subscriber} where fld0 = ${id}`);

  it('200 sets status, first and last date and origin, and how they were collected', async () => {
    const reply = await post([
      {
        idSubscriber: 1,
        firstOrigin: 'site',
        date: day,
        collectMode: 'NATUREL',
        collectType: 'FORM_EXT',
        subscribeToPartnersOffers: true,
      },
      { idSubscriber: 2, firstOrigin: 'shop' },
      { idSubscriber: 99, firstOrigin: 'shop' },
    ]);
    expect(reply).toMatchObject({ status: 200, data: [true, true, false], typeName: 'Boolean[]' });
    expect(await row(1)).toEqual({
      fld2: day,
      fld3: day,
      fld5: 'site',
      fld6: 'site',
      fld7: 0,
      fld8: 1,
      fld10: day,
      fld21: 'NATUREL',
      fld22: 'FORM_EXT',
    });
    expect(await row(2)).toEqual({
      fld2: now,
      fld3: now,
      fld5: 'shop',
      fld6: 'shop',
      fld7: 0,
      fld8: null,
      fld10: null,
      fld21: 'AUTRE',
      fld22: null,
    });
  });

  it.each([
    [[{ idSubscriber: 1 }], '[0].firstOrigin: is required'],
    [[{ idSubscriber: 1, firstOrigin: '' }], '[0].firstOrigin: must have at least 1 character'],
    [
      [
        { idSubscriber: 1, firstOrigin: 'a' },
        { idSubscriber: 1, firstOrigin: ' ' },
      ],
      '[1].firstOrigin: must not be blank',
    ],
    [
      [{ idSubscriber: 1, firstOrigin: 'a', collectMode: 'GIFT' }],
      '[0].collectMode: must be one of ACHAT, ECHANGE, NATUREL, AUTRE',
    ],
    [[{ idSubscriber: 1, firstOrigin: 'a', collectType: 'X' }], '[0].collectType: must be one of SITE, JEU'],
    [{}, 'body: must be an array'],
  ])('400 %#', async (body, message) => {
    const { status, error } = await post(body);
    expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
    expect(await row(1)).toMatchObject({ fld5: 'old', fld7: 1 });
  });
});
