import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';

describe('getSampleData', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const get = (as: 'reader' | 'editor' = 'reader') => t.call('GET', '/sample-data', { as });

  it('200 with null on a site without sample data', async () => {
    expect(await get()).toMatchObject({ status: 200, data: null, error: null });
  });

  it('200 with the number of people who are left, and the target and the campaign', async () => {
    const { data: made } = await t.call('POST', '/sample-data', { body: {} });
    const { nbSubscribers, idTarget, idCampaign } = made as Record<string, number>;
    expect(await get()).toMatchObject({
      status: 200,
      typeName: 'SampleData',
      data: { creationDate: '2026-11-20T10:00:00.000Z', nbSubscribers, idTarget, idCampaign },
    });
    const { data: ids } = await t.call('GET', `/targets/${idTarget}/subscriber-ids`);
    // A call that names every subscriber deletes none.
    const body = (ids as number[]).slice(0, 3);
    await t.call('DELETE', '/subscribers', { body });
    expect(await get()).toMatchObject({ data: { nbSubscribers: 200 } });
  });
});
