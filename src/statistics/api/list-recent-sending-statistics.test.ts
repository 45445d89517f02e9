import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { foldActivity } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { recordUnsubscription } from '../../activity/unsubscription-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeConfiguration, makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeBounce, makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { makeReadyCampaign, programmed } from '../../testing/sending-campaign.ts';
import type { MultiSendingStatistics } from '../sending-statistics.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const get = (query: Record<string, string | number>) =>
  t.call('GET', '/statistics/sendings', { query, as: 'reader' });

async function listOf(idCampaign: number, query = {}): Promise<MultiSendingStatistics[]> {
  const reply = await get({ nbDays: 60, ...query });
  expect([reply.status, reply.typeName]).toEqual([200, 'MultiSendingStatistics[]']);
  return (reply.data as MultiSendingStatistics[]).filter((one) => one.idCampaign === idCampaign);
}

const noFigures = {
  nbAddressSent: 0,
  nbClickers: 0,
  nbClickersEdito: 0,
  nbClickersMirror: 0,
  nbClickersPub: 0,
  nbClickersUnsub: 0,
  nbClickersViral: 0,
  nbClicks: 0,
  nbClicksEdito: 0,
  nbClicksMirror: 0,
  nbClicksPub: 0,
  nbClicksUnsub: 0,
  nbClicksViral: 0,
  nbGodsons: 0,
  nbHardBounces: 0,
  nbNetworkBounces: 0,
  nbOpeners: 0,
  nbOpenings: 0,
  nbResponseBounces: 0,
  nbSoftBounces: 0,
  nbSpamBounces: 0,
  nbSpamComplaints: 0,
  nbUnsubs: 0,
  reac: 0,
  reacEdito: 0,
  reacMirror: 0,
  reacPub: 0,
  reacUnsub: 0,
  reacViral: 0,
};

describe('listRecentSendingStatistics', () => {
  it('200 with what a sending was made of, whatever changes afterwards', async () => {
    await makeSubscribers(t.db, [1, 2, 3]);
    const parameters = {
      type: 'Newsletter',
      mode: 'Simple',
      sendingSpeed: 500,
      senderAlias: 'Ada',
      responseAlias: 'Answers',
    } as const;
    const idCampaign = await makeReadyCampaign(t.db, {
      parameters: { name: 'Spring', subject: 'Hi', ...parameters },
    });
    await (await programmed(t, idCampaign)).generate();
    await t.db.run(
      sql`update ${t.db.t.sending_configuration} set sender_email = 'other@example.com', name = 'Other'`,
    );
    const facts = await t.db.one<Record<string, number>>(sql`
      select s.id as "idSent", s.id_job as "idJob", s.id_sending as "idSending", s.id_target as "idFilter",
        (c.parameters ->> 'idConfiguration')::int as "idConfig"
      from ${t.db.t.sent} s join ${t.db.t.job} j on j.id = s.id_job join ${t.db.t.campaign} c on c.id = j.id_campaign
      where c.id = ${idCampaign}`);
    expect(await listOf(idCampaign)).toEqual([
      {
        ...facts,
        ...noFigures,
        idCampaign,
        campaignName: 'Spring',
        mailObject: 'Hi',
        sendingName: expect.any(String),
        startDate: '2026-11-20T10:00:00.000Z',
        endDate: null,
        campType: 'Newsletter',
        campMode: 'Simple',
        nbPubsInsert: 0,
        genSpeed: 500,
        hasTxtMsg: true,
        sendingPosition: 1,
        isRandom: false,
        pctAddressChoosen: 100,
        configName: 'News',
        expMail: 'news@example.com',
        expName: 'Ada',
        responseMail: 'answers@example.com',
        responseName: 'Answers',
        filterName: 'Readers',
        nbAddressToSend: 3,
      },
    ]);
  });

  it('200 with every figure of each sending, the same before and after aggregation', async () => {
    const { idCampaign, idJob, idsSent } = await makeJob(t.db, { sents: 2, nbAddressToSend: 9 });
    const [first, second] = [idsSent[0]!, idsSent[1]!];
    await makeReceipts(t.db, idJob, first, { accepted: [1, 2, 3, 4, 5, 6], refused: [7] });
    await makeHits(t.db, [
      makeHit(first, 1, hitKinds.open, { isMobile: true }),
      makeHit(first, 1, hitKinds.editorial, { isMobile: true }),
      makeHit(first, 1, hitKinds.editorial),
      makeHit(first, 2, hitKinds.advertisement),
      makeHit(first, 3, hitKinds.open),
      makeHit(first, 3, hitKinds.mirror),
      makeHit(first, 4, hitKinds.unsubscription),
      makeHit(first, 4, hitKinds.editorial, { isViral: true, isMobile: true }),
      makeHit(second, 8, hitKinds.open),
    ]);
    const { hard, soft, spam, dns, autoReply, complaint } = bounceClasses;
    for (const [id, kind] of [hard, soft, spam, dns, autoReply, complaint].entries())
      await makeBounce(t.db, first, id + 1, kind);
    await recordUnsubscription(t.db, { idSent: first, idSubscriber: 4, at: new Date(), origin: 'page' });
    const fixed = {
      nbAddressSent: 6,
      nbHardBounces: 1,
      nbSoftBounces: 1,
      nbSpamBounces: 1,
      nbNetworkBounces: 1,
      nbResponseBounces: 1,
      nbSpamComplaints: 1,
      nbUnsubs: 1,
    };
    const all = {
      ...fixed,
      nbOpeners: 4,
      nbOpenings: 4,
      nbClickers: 4,
      nbClicks: 6,
      nbClicksEdito: 2,
      nbClickersEdito: 1,
      nbClicksPub: 1,
      nbClickersPub: 1,
      nbClicksMirror: 1,
      nbClickersMirror: 1,
      nbClicksUnsub: 1,
      nbClickersUnsub: 1,
      nbClicksViral: 1,
      nbClickersViral: 1,
      reac: 100,
      reacEdito: 25,
      reacPub: 25,
      reacMirror: 25,
      reacUnsub: 25,
      reacViral: 25,
    };
    const mobile = {
      ...fixed,
      nbOpeners: 2,
      nbOpenings: 2,
      nbClicks: 2,
      nbClickers: 2,
      nbClicksUnsub: 0,
      reacPub: 0,
    };
    const desktop = {
      ...fixed,
      nbOpeners: 4,
      nbOpenings: 4,
      nbClicks: 4,
      nbClickers: 4,
      nbClicksViral: 0,
      reacEdito: 25,
    };
    for (const isFolded of [false, true]) {
      if (isFolded) await foldActivity(t.db);
      const rest = { idSent: second, ...noFigures, nbOpeners: 1, nbOpenings: 1 };
      expect(await listOf(idCampaign)).toMatchObject([{ idSent: first, ...all }, rest]);
      expect(await listOf(idCampaign, { mode: 3 })).toMatchObject([all, rest]);
      for (const mode of ['1', 'Mobile'])
        expect((await listOf(idCampaign, { mode }))[0]).toMatchObject(mobile);
      for (const mode of ['2', 'Desktop'])
        expect((await listOf(idCampaign, { mode }))[0]).toMatchObject(desktop);
    }
  });

  it('200 with the real sendings of the days requested, to the second', async () => {
    const { idCampaign, idsSent } = await makeJob(t.db, { startedAt: new Date('2026-11-18T10:00:00Z') });
    await makeJob(t.db, { idCampaign, startedAt: new Date('2026-11-18T09:59:59Z') });
    await makeJob(t.db, { idCampaign, isTest: true });
    expect((await listOf(idCampaign, { nbDays: 2 })).map(({ idSent }) => idSent)).toEqual(idsSent);
    expect(await listOf(idCampaign, { nbDays: 60 })).toHaveLength(2);
    expect(await listOf(idCampaign, { nbDays: 1 })).toEqual([]);
  });

  it('200 for a waiting remainder of an A/B test, and a job whose configuration was not frozen', async () => {
    const { idCampaign, idJob, idsSent } = await makeJob(t.db, { sents: 2 });
    const idConfig = await makeConfiguration(t.db);
    await t.db.run(sql`
      update ${t.db.t.campaign} set parameters = parameters || jsonb_build_object('idConfiguration', ${idConfig}::int)
      where id = ${idCampaign}`);
    const of = (idSent: number, subject: string) => ({
      subject,
      senderAlias: `From ${subject}`,
      conf: { idSent },
    });
    const frozen = {
      source: { from: { email: 'a@example.com', alias: 'A' }, replyTo: null, text: '' },
      sents: [of(idsSent[0]!, 'First')],
      remainder: of(idsSent[1]!, 'Rest'),
      sendingSpeed: 0,
    };
    await t.db.run(
      sql`update ${t.db.t.job} set frozen = ${JSON.stringify(frozen)}::jsonb where id = ${idJob}`,
    );
    const shared = {
      expMail: 'a@example.com',
      responseMail: '',
      hasTxtMsg: false,
      idConfig,
      configName: 'News',
    };
    expect(await listOf(idCampaign)).toMatchObject([
      { ...shared, mailObject: 'First', expName: 'From First' },
      { ...shared, mailObject: 'Rest', expName: 'From Rest' },
    ]);
  });

  it('400 without nbDays, for more than 60 of them, and for an unknown mode', async () => {
    expect((await get({})).error).toBe('nbDays: is required');
    const wrong: Record<string, string | number>[] = [
      { nbDays: 61 },
      { nbDays: 0 },
      { nbDays: 2, mode: 4 },
      { nbDays: 2, mode: 'mobile' },
    ];
    for (const query of wrong) {
      const reply = await get(query);
      expect([reply.status, reply.error]).toEqual([400, expect.stringMatching(/^(nbDays|mode)/)]);
    }
  });
});
