import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { makePicture } from '../../testing/make-picture.ts';
import type { PictureUses } from '../picture-uses.ts';

describe('listPictureUses', () => {
  let t: TestApp;
  let idPicture: number;
  let url: string;
  beforeAll(async () => {
    t = await testApp();
    idPicture = await makePicture(t.db);
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const { items } = (await t.call('GET', '/pictures', { query })).data as { items: { url: string }[] };
    url = items[0]!.url;
  });
  afterAll(() => t.close());

  const uses = (id = idPicture) => t.call('GET', `/pictures/${id}/uses`, { as: 'reader' });
  const nothing: PictureUses = {
    nbCampaigns: 0,
    nbAdvertisements: 0,
    nbSegments: 0,
    nbSendingConfigurations: 0,
    nbContentBlocks: 0,
    uses: [],
  };

  it('200 nothing for a picture that no content shows', async () => {
    await makeCampaign(t.db, { htmlContent: '<img src="https://elsewhere.example/p/1/other.png">' });
    expect(await uses()).toMatchObject({ status: 200, typeName: 'PictureUses', data: nothing });
  });

  it('200 every kind of content that shows it, the newest of each kind first', async () => {
    const html = `<p>a</p><img src="${url}">`;
    const named = (name: string) => ({ name, subject: name });
    const first = await makeCampaign(t.db, { htmlContent: html, parameters: named('First') });
    const text = await makeCampaign(t.db, { textContent: `See ${url}`, parameters: named('Text') });
    const idConfiguration = await makeConfiguration(t.db, `${html}<a href="[[LINK.UNSUB]]">x</a>`);
    const made = await t.call('POST', '/advertisements', { body: { name: 'Pots', html } });
    const { id: idAdvertisement } = made.data as { id: number };
    const block = { contentKey: 'Promotion', contentValue: html };
    expect((await t.call('PUT', '/content-blocks', { body: block })).status).toBe(200);
    const idTarget = await makeTarget(t.db);
    const other = await makeCampaign(t.db);
    const idSegment = await makeSegment(t.db, other, { idTarget });
    await t.db.run(sql`
      insert into ${t.db.t.segment_advertisement} (id_segment, position, id_advertisement, name, html)
      values (${idSegment}, 1, ${idAdvertisement}, 'Pots', ${html})`);
    expect((await uses()).data).toEqual({
      nbCampaigns: 2,
      nbAdvertisements: 1,
      nbSegments: 1,
      nbSendingConfigurations: 1,
      nbContentBlocks: 1,
      uses: [
        { kind: 'Campaign', id: text, name: 'Text', idCampaign: text },
        { kind: 'Campaign', id: first, name: 'First', idCampaign: first },
        { kind: 'Advertisement', id: idAdvertisement, name: 'Pots', idCampaign: null },
        { kind: 'Segment', id: idSegment, name: expect.any(String), idCampaign: other },
        { kind: 'SendingConfiguration', id: idConfiguration, name: 'News', idCampaign: null },
        { kind: 'ContentBlock', id: null, name: 'Promotion', idCampaign: null },
      ],
    });
    // The same bytes have the same address.
    expect((await uses(await makePicture(t.db))).data).toMatchObject({ nbCampaigns: 2 });
  });

  it('200 at most 100 of many, all of them counted, and no longer a campaign whose content was replaced', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.campaign} (id_user, author, name, parameters, html_content, created_at, updated_at)
      select 1, 'Ada', 'C' || i, '{}', ${`<img src='${url}'>`}, now(), now() from generate_series(1, 150) i`);
    const { data } = await uses();
    expect(data).toMatchObject({ nbCampaigns: 152, nbContentBlocks: 1 });
    expect((data as PictureUses).uses).toHaveLength(100);
    await t.db.run(sql`update ${t.db.t.campaign} set html_content = '', text_content = ''`);
    expect((await uses()).data).toMatchObject({ nbCampaigns: 0, nbAdvertisements: 1 });
  });

  it('404 for an unknown picture', async () => {
    expect(await uses(99_999)).toMatchObject({ status: 404, error: 'Picture not found' });
  });
});
