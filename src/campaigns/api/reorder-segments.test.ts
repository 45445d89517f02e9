import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { listSegments } from '../segment-store.ts';

describe('reorderSegments', () => {
  let t: TestApp;
  let id: number;
  let ids: number[];
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    ids = [];
    for (let n = 0; n < 3; n++) ids.push(await makeSegment(t.db, id, { idTarget }));
  });

  const reorder = (body: unknown, as: 'reader' | 'editor' = 'editor') =>
    t.call('PUT', `/campaigns/${id}/segments/order`, { body, as });
  const order = async () => (await listSegments(t.db, id)).map((segment) => segment.id);

  it('200 true, with the new positions', async () => {
    const [a, b, c] = ids;
    expect(await reorder([c, a, b])).toMatchObject({ status: 200, data: true });
    expect(await order()).toEqual([c, a, b]);
    expect((await listSegments(t.db, id)).map((segment) => segment.position)).toEqual([1, 2, 3]);
  });

  it('400 unless each segment is named once', async () => {
    const [a, b, c] = ids as [number, number, number];
    const wrong = [[a, b], [a, b, b], [a, b, c, c], [a, b, 999_999], [], [a, b, 'c'], { ids }];
    for (const body of wrong) expect((await reorder(body)).status).toBe(400);
    expect((await reorder([a, b])).error).toBe(
      `body: must name each segment of the campaign once: ${a}, ${b}, ${c}`,
    );
    expect(await order()).toEqual(ids);
  });

  it('404 for an unknown campaign', async () => {
    const reply = await t.call('PUT', '/campaigns/999999/segments/order', { body: [] });
    expect(reply).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('409 while the campaign is sent', async () => {
    await setScheduleState(t.db, id, 'Programmed');
    await setScheduleState(t.db, id, 'InProgress');
    expect((await reorder([...ids].reverse())).status).toBe(409);
  });

  it('403 for a reader', async () => {
    expect((await reorder(ids, 'reader')).status).toBe(403);
  });
});
