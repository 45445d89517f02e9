import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('setPrices', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const prices = { currency: 'EUR', paymentDays: 30, steps: [{ from: 0, perThousand: 0.8 }] };
  const set = (body: object, site = 'demo') => t.call('PUT', `/admin/v1/sites/${site}/prices`, { body });

  it('200 sets them, and others in their place', async () => {
    for (const paymentDays of [30, 0]) {
      expect(await set({ ...prices, paymentDays })).toMatchObject({ status: 200, data: true });
      expect((await t.call('GET', '/admin/v1/sites/demo/prices')).data).toMatchObject({ paymentDays });
    }
  });

  it.each([
    [{ currency: 'euro' }, 'currency'],
    [{ paymentDays: -1 }, 'paymentDays'],
    [{ steps: [] }, 'steps'],
    [
      { steps: [{ from: 5, perThousand: 1 }] },
      'steps/0.from: must be 0: the first step is of the first message',
    ],
    [{ steps: [{ from: 0, perThousand: -1 }] }, 'perThousand'],
    [{ steps: [{ from: 0, perThousand: 0.00001 }] }, 'steps/0.perThousand: must have at most four decimals'],
  ])('400 for %j', async (change, error) => {
    expect(await set({ ...prices, ...change })).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('404 for an unknown site', async () => {
    expect(await set(prices, 'nowhere')).toMatchObject({ status: 404, error: 'Site not found' });
  });
});
