import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { makePicture } from '../../testing/make-picture.ts';

describe('countPictureCampaigns', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const count = (idPictures: readonly number[]) =>
    t.call('GET', '/pictures/campaign-counts', { query: { idPictures: [...idPictures] }, as: 'reader' });

  it('200 with the campaigns that show each picture, and without unknown pictures', async () => {
    const one = await makePicture(t.db);
    expect((await count([one])).data).toEqual([{ idPicture: one, nbCampaigns: 0 }]);
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const { items } = (await t.call('GET', '/pictures', { query })).data as { items: { url: string }[] };
    const html = `<img src="${items[0]!.url}">`;
    await makeCampaign(t.db, { htmlContent: html + html });
    await makeCampaign(t.db, { textContent: `See ${items[0]!.url}` });
    await makeCampaign(t.db, { htmlContent: '<img src="https://elsewhere.example/p/1/other.png">' });
    // The same bytes have the same address.
    const same = await makePicture(t.db);
    const reply = await count([same, 99_999, one]);
    expect(reply).toMatchObject({ status: 200, typeName: 'PictureCampaigns[]' });
    expect(reply.data).toEqual([
      { idPicture: one, nbCampaigns: 2 },
      { idPicture: same, nbCampaigns: 2 },
    ]);
  });

  it('400 without a picture', async () => {
    expect(await t.call('GET', '/pictures/campaign-counts', {})).toMatchObject({ status: 400 });
  });

  it('400 for more than a hundred pictures', async () => {
    const reply = await count(Array.from({ length: 101 }, (_, index) => index + 1));
    expect(reply).toMatchObject({ status: 400, error: expect.stringContaining('idPictures') });
  });
});
