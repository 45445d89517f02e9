import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { whileHeld } from '../../testing/held.ts';
import { jobsOf, makeReadyCampaign } from '../../testing/sending-campaign.ts';
import { sendingOperations as operations } from '../operations.ts';

describe('sendSegmentTestMailing', () => {
  let t: TestApp;
  let id: number;
  let idSegment: number;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true });
    id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    const idTarget = await makeTarget(t.db);
    idSegment = await makeSegment(t.db, id, { idTarget });
    await makeSegment(t.db, id, { idTarget, isExcluded: true });
  });

  const send = (body: unknown, idCampaign = id, as: 'editor' | 'sender' = 'sender') =>
    t.call('POST', `/campaigns/${idCampaign}/test-mailing`, { body, as });

  it('200 true, with a test job of that segment alone', async () => {
    expect(await send(2)).toMatchObject({ status: 200, data: true });
    expect(await jobsOf(t.db, id)).toMatchObject([{ isTest: true, idSegment, state: 'Programmed' }]);
  });

  it('400 for a position that is no number', async () => {
    expect((await send('2')).error).toBe('body: must be an integer');
  });

  it('403 for an editor', async () => {
    expect((await send(1, id, 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign or position', async () => {
    expect((await send(1, 999_999)).error).toBe('Campaign not found');
    expect((await send(9)).error).toBe('Segment not found');
  });

  it('409 while sending is held, and there is no job', async () => {
    const reply = await whileHeld(t, 'the database is a copy', () => send(2));
    expect(reply).toMatchObject({
      status: 409,
      error: 'Sending is held: the database is a copy. The operator must adopt this installation first',
    });
    expect(await jobsOf(t.db, id)).toEqual([]);
    expect((await send(2)).status).toBe(200);
  });

  it('422 for an excluded segment', async () => {
    expect(await send(3)).toMatchObject({ status: 422, error: 'Segment 3 is excluded: it has no message' });
  });
});
