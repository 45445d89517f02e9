import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeClicks } from '../../testing/make-clicks.ts';

describe('listLinkStatistics', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query: object) => t.call('GET', '/statistics/links', { query: { ...query }, as: 'reader' });

  it('200 with every tracked link of a campaign, a job or a sending', async () => {
    const { idCampaign, idJob, idSent, idLink, idOther } = await makeClicks(t);
    const expected = [
      {
        idLink,
        url: `https://shop.example/a?x=1&y=<${idJob}>`,
        idAdvertisement: null,
        nbClicks: 3,
        nbClickers: 2,
        nbHumanClickers: 1,
        nbHumanClicks: 2,
        nbViralClicks: 0,
      },
      {
        idLink: idOther,
        url: 'https://shop.example/b',
        idAdvertisement: null,
        nbClicks: 0,
        nbClickers: 0,
        nbHumanClickers: 0,
        nbHumanClicks: 0,
        nbViralClicks: 0,
      },
    ];
    for (const query of [{ idCampaign }, { idJob }, { idSent }, { idSent, idJob: 0 }])
      expect(await list(query)).toMatchObject({ status: 200, data: expected });
  });

  it('400 for none of them, 404 for an unknown one', async () => {
    for (const query of [{}, { idSent: 0 }])
      expect((await list(query)).error).toBe('idCampaign: give idCampaign, idJob or idSent');
    expect(await list({ idCampaign: 99_999 })).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await list({ idJob: 99_999 })).toMatchObject({ status: 404, error: 'Job not found' });
    expect(await list({ idSent: 99_999 })).toMatchObject({ status: 404, error: 'Sending not found' });
  });
});
