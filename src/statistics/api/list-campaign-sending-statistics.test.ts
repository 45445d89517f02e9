import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../../activity/hit.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob } from '../../testing/make-sent.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const get = (query: Record<string, string | number>) =>
  t.call('GET', '/statistics/campaign/sendings', { query, as: 'reader' });

describe('listCampaignSendingStatistics', () => {
  it('200 with the recent real sendings of this campaign only, by device', async () => {
    const { idCampaign, idsSent } = await makeJob(t.db, { sents: 2 });
    await makeJob(t.db, { idCampaign, isTest: true });
    await makeJob(t.db, { idCampaign, startedAt: new Date('2026-11-01T10:00:00Z') });
    await makeJob(t.db);
    await makeHits(t.db, [makeHit(idsSent[1]!, 1, hitKinds.open, { isMobile: true })]);
    const reply = await get({ idCampaign, nbDays: 10, mode: 'Mobile' });
    expect([reply.status, reply.typeName]).toEqual([200, 'MultiSendingStatistics[]']);
    expect(reply.data).toMatchObject([
      { idSent: idsSent[0], idCampaign, nbOpeners: 0 },
      { idSent: idsSent[1], idCampaign, nbOpeners: 1 },
    ]);
    expect((await get({ idCampaign, nbDays: 10, mode: 2 })).data).toMatchObject([{}, { nbOpeners: 0 }]);
  });

  it('400 names what is missing or wrong', async () => {
    expect((await get({ nbDays: 1 })).error).toBe('idCampaign: is required');
    const reply = await get({ idCampaign: 1, nbDays: 61 });
    expect([reply.status, reply.error]).toEqual([400, expect.stringContaining('nbDays')]);
  });

  it('404 for an unknown campaign', async () => {
    const reply = await get({ idCampaign: 999_999, nbDays: 1 });
    expect([reply.status, reply.error]).toEqual([404, 'Campaign not found']);
  });
});
