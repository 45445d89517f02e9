import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSubscribers } from '../../testing/campaign-makers.ts';
import { untilSinglesOver } from '../../testing/forwarding.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { sendingOperations } from '../operations.ts';

describe('getSingleMessage', () => {
  let t: TestApp;
  let sending: SendingTester;
  beforeAll(async () => {
    t = await testApp({ operations: sendingOperations });
    sending = new SendingTester(t);
    await makeSubscribers(t.db, [1, 2]);
  });
  afterAll(async () => {
    await sending.end();
    await t.close();
  });

  const get = (id: string) => t.call('GET', `/single-messages/${id}`, { as: 'reader' });
  const send = async (campaignId: number, subscriberId: number): Promise<string> =>
    (await t.call('POST', '/campaigns/send-to-subscriber', { body: { campaignId, subscriberId } })).data;

  it('200 before and after a message is handed over, accepted or refused', async () => {
    const campaignId = await makeCampaign(t.db);
    const ids = [await send(campaignId, 1), await send(campaignId, 2)] as const;
    expect((await get(ids[0])).data).toMatchObject({
      id: ids[0],
      idSubscriber: 1,
      state: 'Pending',
      code: 0,
      nextAttemptDate: '2026-11-20T10:00:00.000Z',
      endDate: null,
    });
    await sending.relay({ misdeed: (to) => (to.startsWith('2@') ? 'refuse' : undefined) });
    sending.engine();
    await untilSinglesOver(t.db);
    expect((await get(ids[0])).data).toMatchObject({ state: 'Accepted', code: 250, nextAttemptDate: null });
    expect((await get(ids[1])).data).toMatchObject({ state: 'Refused', nbDeferrals: 0 });
  });

  it('404 for an unknown message', async () => {
    expect(await get(randomUUID())).toMatchObject({ status: 404, error: 'Single message not found' });
  });

  it('400 for what is no id of a message', async () => {
    expect((await get('7')).status).toBe(400);
  });
});
