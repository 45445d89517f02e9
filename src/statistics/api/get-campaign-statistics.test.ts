import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { recordUnsubscription } from '../../activity/unsubscription-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import type { CampaignStatistics } from '../campaign-statistics.ts';
import type { JobRecord } from '../job-record.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

const at = new Date('2026-11-20T09:30:00Z');

async function statisticsOf(idCampaign: number): Promise<CampaignStatistics> {
  const reply = await test.call('GET', '/statistics/campaign', { query: { idCampaign }, as: 'reader' });
  expect([reply.status, reply.typeName]).toEqual([200, 'CampaignStatistics']);
  return reply.data as CampaignStatistics;
}

/** Two real jobs of two sendings each, and a test mailing; with hits, bounces and unsubscriptions in all of them. */
async function makeEverything() {
  const { db } = test;
  const first = await makeJob(db, { sents: 2, nbAddressToSend: 10, campaignName: 'Spring' });
  const { idCampaign } = first;
  const second = await makeJob(db, {
    idCampaign,
    sents: 2,
    nbAddressToSend: 5,
    errorInfo: 'The relay was slow',
    senderDomain: 'other.example.com',
  });
  const trial = await makeJob(db, { idCampaign, sents: 1, nbAddressToSend: 3, isTest: true });
  for (const { idJob, idsSent } of [first, second, trial]) {
    for (const idSent of idsSent) {
      await makeReceipts(db, idJob, idSent, { accepted: [1, 2, 3], refused: [4] });
      await makeHits(db, [
        makeHit(idSent, 1, hitKinds.open),
        makeHit(idSent, 1, hitKinds.editorial),
        makeHit(idSent, 2, hitKinds.advertisement),
        makeHit(idSent, 3, hitKinds.open, { class: hitClasses.mpp }),
        makeHit(idSent, 3, hitKinds.mirror),
        makeHit(idSent, 3, hitKinds.unsubscription),
      ]);
      await makeBounce(db, idSent, 2, bounceClasses.soft);
      await makeBounce(db, idSent, 3, bounceClasses.complaint);
      await recordUnsubscription(db, { idSent, idSubscriber: 3, at, origin: 'page' });
    }
  }
  return idCampaign;
}

describe('getCampaignStatistics', () => {
  it('200 gives the sums over the real sendings, without the test mailings', async () => {
    expect(await statisticsOf(await makeEverything())).toEqual({
      groupName: 'other.example.com',
      senderDomain: 'other.example.com',
      jobErrorInfo: 'The relay was slow',
      nbjob: 2,
      nbSents: 4,
      nbLinks: 3,
      nbAd: 0,
      nbAddressToSend: 30,
      nbAddressSent: 12,
      nbOpeners: 12,
      nbOpenings: 12,
      nbHumanOpeners: 12,
      nbHumanOpenings: 12,
      nbClickers: 12,
      nbHumanClickers: 12,
      nbClicks: 16,
      nbEditoClickers: 4,
      nbEditoClicks: 4,
      nbAdClickers: 4,
      nbAdClicks: 4,
      nbMirrorClickers: 4,
      nbMirrorClicks: 4,
      nbUnsubClickers: 4,
      nbUnsubClicks: 4,
      nbViralClicks: 0,
      nbGodsons: 0,
      nbUnsubs: 4,
      nbTotalBounces: 4,
      nbHardBounces: 0,
      nbSoftBounces: 4,
      nbAutoRespondersBounces: 0,
      nbDnsErrorsBounces: 0,
      nbSpamBounces: 0,
      nbSpamComplaints: 4,
    });
  });

  it('200 agrees to the unit with the real jobs of listJobs', async () => {
    const idCampaign = await makeEverything();
    const jobs = await test.call('GET', '/statistics/jobs', { query: { 'filters.hideTest': true } });
    const own = (jobs.data as JobRecord[]).filter((job) => job.idCampaign === idCampaign);
    const statistics = await statisticsOf(idCampaign);
    expect(own).toHaveLength(2);
    const shared = (Object.keys(statistics) as (keyof CampaignStatistics & keyof JobRecord)[]).filter(
      (name) => name.startsWith('nb') && name !== 'nbLinks' && own[0] !== undefined && name in own[0],
    );
    expect(shared.length).toBeGreaterThan(20);
    for (const name of shared) {
      const sum = own.map((job) => job[name] as number).reduce((a, b) => a + b, 0);
      expect([name, statistics[name]]).toEqual([name, sum]);
    }
  });

  it('200 describes the messages of the last job that has some, and why the last job has none', async () => {
    const { idCampaign } = await makeJob(test.db, { senderDomain: 'news.example.com' });
    await makeJob(test.db, {
      idCampaign,
      sents: 0,
      senderDomain: '',
      state: 'Error',
      errorInfo: 'No target',
    });
    expect(await statisticsOf(idCampaign)).toMatchObject({
      groupName: 'news.example.com',
      senderDomain: 'news.example.com',
      nbLinks: 3,
      nbjob: 2,
      nbSents: 1,
      jobErrorInfo: 'No target',
    });
  });

  it('200 with zeros for a campaign that was never sent, and for one that was only tried', async () => {
    const { idCampaign, idJob, idsSent } = await makeJob(test.db, { isTest: true });
    await makeReceipts(test.db, idJob, idsSent[0]!, { accepted: [1] });
    const statistics = await statisticsOf(idCampaign);
    const { groupName, senderDomain, jobErrorInfo, ...figures } = statistics;
    expect([groupName, senderDomain, jobErrorInfo]).toEqual(['', '', null]);
    expect(Object.values(figures).every((value) => value === 0)).toBe(true);
  });

  it('400 names what is missing or wrong', async () => {
    expect((await test.call('GET', '/statistics/campaign')).error).toContain('idCampaign');
    const reply = await test.call('GET', '/statistics/campaign', { query: { idCampaign: 'x' } });
    expect([reply.status, reply.error]).toEqual([400, expect.stringContaining('idCampaign')]);
    const unknown = await test.call('GET', '/statistics/campaign', { query: { idCampaign: 1, mode: 3 } });
    expect([unknown.status, unknown.error]).toEqual([400, expect.stringContaining('mode')]);
  });

  it('404 for an unknown campaign', async () => {
    const reply = await test.call('GET', '/statistics/campaign', { query: { idCampaign: 999_999 } });
    expect([reply.status, reply.error]).toEqual([404, 'Campaign not found']);
  });

  it('401 without a token', async () => {
    const reply = await test.call('GET', '/statistics/campaign', { query: { idCampaign: 1 }, as: null });
    expect(reply.status).toBe(401);
  });
});
