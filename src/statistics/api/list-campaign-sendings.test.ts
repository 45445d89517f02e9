import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { freezeJob } from '../../testing/sending-campaign.ts';
import { statisticsOperations as operations } from '../operations.ts';

describe('listCampaignSendings', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  it('200 with the sendings of all its jobs, and all that the document lists', async () => {
    const first = await makeJob(t.db, { sents: 2, nbAddressToSend: 3 });
    const { idCampaign } = first;
    const test = await makeJob(t.db, { idCampaign, isTest: true, state: 'Error', errorInfo: 'no relay' });
    await makeJob(t.db);
    await freezeJob(t.db, first.idJob, '<p>Hello</p>');
    await makeReceipts(t.db, first.idJob, first.idsSent[0]!, { accepted: [1, 2], refused: [3] });
    const reply = await t.call('GET', `/campaigns/${idCampaign}/sendings`, { as: 'reader' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Sent[]' });
    const sent = {
      idSent: first.idsSent[0],
      startDate: '2026-11-19T09:00:00.000Z',
      endDate: null,
      idSending: expect.any(Number),
      isTest: false,
      filterName: 'All',
      idJob: first.idJob,
      nbOpenings: 0,
      nbUnsubs: 0,
      nbAddressSent: 2,
      nbAddressToSend: 3,
      msgHtml: '<p>Hello</p>',
      msgTxt: null,
      informations: '',
      nbOpeners: 0,
      nbHardBounces: 0,
      nbSoftBounces: 0,
      nbAutoResponders: 0,
      nbDnsErrors: 0,
      nbSpam: 0,
    };
    expect(reply.data).toEqual([
      sent,
      { ...sent, idSent: first.idsSent[1], nbAddressSent: 0 },
      {
        ...sent,
        idSent: test.idsSent[0],
        idJob: test.idJob,
        isTest: true,
        nbAddressSent: 0,
        nbAddressToSend: 0,
        msgHtml: null,
        informations: 'no relay',
      },
    ]);
  });

  it('200 with nothing for a campaign that was never sent', async () => {
    const id = await makeCampaign(t.db);
    expect((await t.call('GET', `/campaigns/${id}/sendings`)).data).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect((await t.call('GET', '/campaigns/999999/sendings')).error).toBe('Campaign not found');
  });
});
