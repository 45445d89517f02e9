import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../../activity/hit.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { SendingStatistics } from '../sending-statistics.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const get = (query: Record<string, string | number>) =>
  t.call('GET', '/statistics/sending', { query, as: 'reader' });

describe('getSendingStatistics', () => {
  it('200 with one record of the document’s properties, by device', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { campaignName: 'Spring' });
    const idSent = idsSent[0]!;
    await makeReceipts(t.db, idJob, idSent, { accepted: [1, 2, 3] });
    await makeHits(t.db, [
      makeHit(idSent, 1, hitKinds.open),
      makeHit(idSent, 1, hitKinds.editorial, { isMobile: true }),
      makeHit(idSent, 2, hitKinds.open),
      makeHit(idSent, 3, hitKinds.open),
    ]);
    const reply = await get({ idSent });
    expect([reply.status, reply.typeName]).toEqual([200, 'SendingStatistics[]']);
    const [record, ...others] = reply.data as SendingStatistics[];
    expect(others).toEqual([]);
    expect(Object.keys(record!)).toEqual(Object.keys(SendingStatistics.properties));
    expect(record).toMatchObject({
      idSent,
      campaignName: 'Spring',
      mailObject: 'Hello',
      sendingName: 'All',
      nbAddressSent: 3,
      nbOpeners: 3,
      nbClickersEdito: 1,
      reac: (1 / 3) * 100,
    });
    expect((await get({ idSent, mode: 'Mobile' })).data).toMatchObject([
      { nbAddressSent: 3, nbOpeners: 1, nbClickers: 1, reac: 100 },
    ]);
    expect((await get({ idSent, mode: '2' })).data).toMatchObject([{ nbOpeners: 3, nbClickers: 0, reac: 0 }]);
  });

  it('200 for a test mailing as well', async () => {
    const { idsSent } = await makeJob(t.db, { isTest: true });
    expect((await get({ idSent: idsSent[0]! })).data).toMatchObject([{ idSent: idsSent[0], nbOpeners: 0 }]);
  });

  it('400 without idSent, and for an unknown mode', async () => {
    expect((await get({})).error).toBe('idSent: is required');
    const reply = await get({ idSent: 1, mode: 'Phone' });
    expect([reply.status, reply.error]).toEqual([400, expect.stringContaining('mode')]);
  });

  it('404 for an unknown sending', async () => {
    const reply = await get({ idSent: 999_999 });
    expect([reply.status, reply.error]).toEqual([404, 'Sending not found']);
  });
});
