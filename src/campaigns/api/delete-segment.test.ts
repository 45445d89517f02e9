import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations as operations } from '../operations.ts';
import { listSegments } from '../segment-store.ts';

describe('deleteSegment', () => {
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
    for (let n = 0; n < 4; n++) ids.push(await makeSegment(t.db, id, { idTarget }));
  });

  const remove = (position: number, as: 'reader' | 'editor' = 'editor') =>
    t.call('DELETE', `/campaigns/${id}/segments/${position}`, { as });
  const order = async () => (await listSegments(t.db, id)).map((one) => [one.position, one.id]);

  it('200 with the ids that remain, moved up', async () => {
    const reply = await remove(2);
    expect(reply).toMatchObject({ status: 200, typeName: 'Int32[]', data: [ids[0], ids[2], ids[3]] });
    expect(await order()).toEqual([
      [1, ids[0]],
      [2, ids[2]],
      [3, ids[3]],
    ]);
  });

  it('200 with nothing when it was the last one', async () => {
    for (const left of [3, 2, 1, 0]) expect((await remove(1)).data).toHaveLength(left);
  });

  it('200 for two at once: positions stay without a gap', async () => {
    const replies = await Promise.all([remove(1), remove(1)]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(await order()).toEqual([
      [1, ids[2]],
      [2, ids[3]],
    ]);
  });

  it('404 for an unknown position', async () => {
    expect(await remove(5)).toMatchObject({ status: 404, error: 'Segment not found' });
  });

  it('409 while the campaign is paused', async () => {
    await setScheduleState(t.db, id, 'Programmed');
    await setScheduleState(t.db, id, 'Paused');
    expect((await remove(1)).status).toBe(409);
  });

  it('403 for a reader', async () => {
    expect((await remove(1, 'reader')).status).toBe(403);
  });
});
