import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProvider } from '../../accounts/provider-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { foldActivity } from '../../activity/fold-store.ts';
import { hitKinds } from '../../activity/hit.ts';
import { recordUnsubscription } from '../../activity/unsubscription-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { type MadeJob, makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import { ProviderStatistics } from '../provider-statistics.ts';

let t: TestApp;
let ada: number;
beforeAll(async () => {
  t = await testApp();
  const limits = { maxConnections: 0, messagesPerHour: 0 };
  ada = (
    await insertProvider(t.app.control, {
      name: 'Mail of Ada',
      mxSuffixes: [],
      domains: ['ada.example'],
      ...limits,
    })
  ).id;
});
afterAll(() => t.close());

const get = (query: Record<string, string | number>) =>
  t.call('GET', '/statistics/providers', { query, as: 'reader' });

async function providersOf({ idJob, idsSent }: MadeJob): Promise<ProviderStatistics[]> {
  const reply = await get({ idJob, idSent: idsSent[0]! });
  expect([reply.status, reply.typeName]).toEqual([200, 'ProviderStatistics[]']);
  return reply.data as ProviderStatistics[];
}

async function report(idSent: number, idSubscriber: number, kind: number, status: string): Promise<void> {
  const digest = Buffer.from(`${idSent} ${idSubscriber} ${status}`);
  await t.db.run(sql`
    insert into ${t.db.t.bounce} (id_sent, id_subscriber, class, status, at, digest)
    values (${idSent}, ${idSubscriber}, ${kind}, ${status}, now(), ${digest})`);
}

const zeros = Object.fromEntries(
  Object.keys(ProviderStatistics.properties)
    .filter((name) => name.startsWith('nb'))
    .map((name) => [name, 0]),
);

describe('getProviderStatistics', () => {
  it('200 with every figure by provider, the same before and after aggregation', async () => {
    const job = await makeJob(t.db, { nbAddressToSend: 6 });
    const idSent = job.idsSent[0]!;
    const of = {
      accepted: [1, 2, 3, 4],
      refused: [5, 6],
      providerOf: (id: number) => (id % 2 === 1 ? ada : 0),
    };
    await makeReceipts(t.db, job.idJob, idSent, of);
    const { open, editorial, advertisement, mirror, unsubscription } = hitKinds;
    await makeHits(t.db, [
      makeHit(idSent, 1, open),
      makeHit(idSent, 1, editorial),
      makeHit(idSent, 1, advertisement),
      makeHit(idSent, 3, advertisement, { at: new Date('2026-11-20T12:00:00Z') }),
      makeHit(idSent, 3, editorial, { isViral: true }),
      makeHit(idSent, 2, mirror),
      makeHit(idSent, 2, unsubscription),
    ]);
    await report(idSent, 1, bounceClasses.soft, '4.2.2');
    await report(idSent, 3, bounceClasses.hard, '5.1.1');
    await report(idSent, 5, bounceClasses.hard, '5.1.1');
    await report(idSent, 4, bounceClasses.complaint, '');
    await recordUnsubscription(t.db, { idSent, idSubscriber: 2, at: new Date(), origin: 'page' });
    for (const isFolded of [false, true]) {
      if (isFolded) await foldActivity(t.db);
      expect(await providersOf(job)).toEqual([
        {
          ...zeros,
          idFai: 0,
          isp: 'Others',
          groupName: 'news.example.com',
          dsn: '',
          dsnCount: 0,
          nbAddressToSend: 3,
          nbAddressSent: 2,
          nbDelivered: 2,
          nbOpeners: 1,
          nbOpenings: 1,
          nbHumanOpeners: 1,
          nbHumanOpenings: 1,
          nbClickers: 1,
          nbHumanClickers: 1,
          nbClicks: 2,
          nbMirrorClickers: 1,
          nbMirrorClicks: 1,
          nbUnsubClickers: 1,
          nbUnsubClicks: 1,
          nbUnsubs: 1,
          nbSpamComplaints: 1,
        },
        {
          ...zeros,
          idFai: ada,
          isp: 'Mail of Ada',
          groupName: 'news.example.com',
          dsn: '5.1.1',
          dsnCount: 2,
          nbAddressToSend: 3,
          nbAddressSent: 3,
          nbBounces: 3,
          nbHardBounces: 2,
          nbSoftBounces: 1,
          nbOpeners: 2,
          nbOpenings: 2,
          nbHumanOpeners: 2,
          nbHumanOpenings: 2,
          nbClickers: 2,
          nbHumanClickers: 2,
          nbClicks: 4,
          nbContentClickers: 2,
          nbEditoClickers: 1,
          nbEditoClicks: 1,
          nbAdClickers: 2,
          nbAdClicks: 2,
          nbViralClickers: 1,
          nbViralClicks: 1,
        },
      ]);
    }
  });

  it('200 while ranges are being sent, by the domain of each recipient', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld0, fld1) values (101, 'a@ada.example'), (102, 'b@other.example')`);
    const job = await makeJob(t.db, { state: 'Sending', nbAddressToSend: 2 });
    await makeOpenRange(t.db, job.idJob, job.idsSent[0]!, {
      subscribers: [101, 102],
      accepted: [101],
      at: new Date(),
    });
    await makeHits(t.db, [makeHit(job.idsSent[0]!, 101, hitKinds.open)]);
    expect(await providersOf(job)).toMatchObject([
      { idFai: 0, nbAddressToSend: 1, nbAddressSent: 0, nbWaiting: 1, nbOpeners: 0 },
      { idFai: ada, nbAddressToSend: 1, nbAddressSent: 1, nbWaiting: 0, nbOpeners: 1 },
    ]);
  });

  it('400 without a job or a sending', async () => {
    expect((await get({ idSent: 1 })).error).toBe('idJob: is required');
    const reply = await get({ idJob: 1 });
    expect([reply.status, reply.error]).toEqual([400, 'idSent: is required']);
  });

  it('404 for an unknown sending, and for one of another job', async () => {
    const [one, other] = [await makeJob(t.db), await makeJob(t.db)];
    for (const idSent of [other.idsSent[0]!, 999_999]) {
      const reply = await get({ idJob: one.idJob, idSent });
      expect([reply.status, reply.error]).toEqual([404, 'Sending not found']);
    }
  });
});
