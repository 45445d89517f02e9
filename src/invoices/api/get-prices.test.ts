import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('getPrices', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const path = '/admin/v1/sites/demo/prices';

  it('200 null before there are any, then those that were set', async () => {
    expect(await t.call('GET', path)).toMatchObject({ status: 200, data: null });
    const body = { currency: 'EUR', paymentDays: 30, steps: [{ from: 0, perThousand: 0.8 }] };
    await t.call('PUT', path, { body });
    const reply = await t.call('GET', path);
    expect(reply).toMatchObject({ status: 200, typeName: 'Prices' });
    expect(reply.data).toEqual(body);
  });

  it('404 for an unknown site', async () => {
    expect(await t.call('GET', '/admin/v1/sites/nowhere/prices')).toMatchObject({
      status: 404,
      error: 'Site not found',
    });
  });
});
