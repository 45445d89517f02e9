import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDirectory } from '../../contents/directory-store.ts';
import { insertThematic } from '../../contents/thematic-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { listLinks, unsubscriptionUrls, untrack } from '../tracked-link-store.ts';

describe('trackLink', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
    id = await makeCampaign(t.db, {
      htmlContent:
        '<a href="https://a.fr/?x=1&amp;y=2">a</a><a href="https://b.fr/">b</a><a href="mailto:x@y.fr">m</a>',
    });
  });
  afterAll(() => t.close());

  const track = (body: unknown, idCampaign = id) =>
    t.call('POST', `/campaigns/${idCampaign}/tracked-links`, { body, as: 'editor' });

  it('200 tracks that address and no other, as meant or as written in the HTML', async () => {
    const reply = await track({ url: 'https://a.fr/?x=1&amp;y=2' });
    expect(reply).toMatchObject({ status: 200, typeName: 'TrackedUrl' });
    const link = reply.data as TrackedUrl;
    expect(link).toMatchObject({ url: 'https://a.fr/?x=1&y=2', isTracked: true, origin: 'campaign' });
    expect(await listLinks(t.db, id)).toEqual([link]);
    await untrack(t.db, id, link.id);
    expect((await track({ url: 'https://a.fr/?x=1&y=2' })).data).toEqual(link);
  });

  it('200 stores the given parameters and keeps the others', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'd', dirType: 'Link' });
    const idThematic = await insertThematic(t.db, {
      idParentThematic: null,
      name: 't',
      description: '',
      isEnabled: true,
    });
    const url = 'https://b.fr/';
    const first = await track({
      url,
      parameters: { description: 'B', isUnsubscriptionUrl: true, idDirectory, idThematic, sector: 'Travel' },
    });
    expect(first.data).toMatchObject({
      parameters: { description: 'B', isUnsubscriptionUrl: true, idDirectory, idThematic, sector: 'Travel' },
    });
    expect(await unsubscriptionUrls(t.db, id)).toEqual(new Set([url]));
    const second = await track({ ...(first.data as object), parameters: { isUnsubscriptionUrl: false } });
    expect(second.data).toMatchObject({
      parameters: { description: 'B', isUnsubscriptionUrl: false, idThematic },
    });
    expect(await unsubscriptionUrls(t.db, id)).toEqual(new Set());
  });

  it('200 with 0 removes directory and thematic; 0 names no advertisement', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'd', dirType: 'Link' });
    const thematic = { idParentThematic: null, name: 't', description: '', isEnabled: true };
    const idThematic = await insertThematic(t.db, thematic);
    const url = 'https://b.fr/';
    await track({ url, parameters: { idDirectory, idThematic } });
    const one = await track({ url, idAdvertisementInSegment: 0, parameters: { idDirectory: 0 } });
    expect(one).toMatchObject({ status: 200, data: { parameters: { idDirectory: null, idThematic } } });
    const both = await track({ url, parameters: { idThematic: 0 } });
    expect(both.data).toMatchObject({ parameters: { idDirectory: null, idThematic: null } });
    expect(await listLinks(t.db, id)).toContainEqual(both.data);
  });

  it('422 for a directory that does not sort links; one of addresses does', async () => {
    const wrong = await insertDirectory(t.db, { name: 'd', dirType: 'Campaign' });
    const idDirectory = await insertDirectory(t.db, { name: 'd', dirType: 'URL' });
    const url = 'https://b.fr/';
    expect(await track({ url, parameters: { idDirectory: wrong } })).toMatchObject({
      status: 422,
      error: `parameters.idDirectory: directory ${wrong} is of type Campaign; must be of URL or Link or Unknown`,
    });
    expect((await track({ url, parameters: { idDirectory } })).data).toMatchObject({
      parameters: { idDirectory },
    });
  });

  it('200 tracks an address in the named advertisement, otherwise the first place of that address', async () => {
    const url = 'https://ad.fr/';
    const idCampaign = await makeCampaign(t.db, { htmlContent: '[[ENCART.1]]' });
    const idTarget = await makeTarget(t.db);
    const idAdvertisement = await makeAd(t.db, `<a href="${url}">ad</a>`);
    for (const position of [1, 2]) {
      await makeSegment(t.db, idCampaign, { idTarget });
      const path = `/campaigns/${idCampaign}/segments/${position}/advertisement`;
      await t.call('PUT', path, { body: { position: 1, idAdvertisement } });
    }
    const first = (await track({ url }, idCampaign)).data as TrackedUrl;
    expect(first).toMatchObject({ url, origin: 'advertisement', idAdvertisement, isTracked: true });
    const all = (await t.call('POST', '/campaigns/tracked-links', { body: idCampaign })).data as TrackedUrl[];
    expect(all).toMatchObject([{ id: first.id }, { url, idAdvertisement }]);
    const changed = await track({ ...all[1], parameters: { description: 'second' } }, idCampaign);
    expect(changed.data).toEqual({ ...all[1], parameters: { ...all[1]!.parameters, description: 'second' } });
    await untrack(t.db, idCampaign, all[1]!.id);
    expect(await track({ url, idAdvertisementInSegment: 999_999 }, idCampaign)).toMatchObject({
      status: 404,
      error: 'idAdvertisementInSegment: Advertisement in segment not found',
    });
    expect(await listLinks(t.db, idCampaign)).toMatchObject([{ isTracked: true }, { isTracked: false }]);
  });

  it.each([
    [
      'an address that is not in the contents',
      { url: 'https://evil.test/' },
      'url: not found in the contents',
    ],
    ['a mail address', { url: 'mailto:x@y.fr' }, 'url: only http and https addresses can be tracked'],
    ['no address', {}, 'url: is required'],
    [
      'an unknown sector',
      { url: 'https://b.fr/', parameters: { sector: 'Nope' } },
      'parameters.sector: must be one of',
    ],
    [
      'a line end',
      { url: 'https://b.fr/', parameters: { description: 'a\nb' } },
      'parameters.description: holds',
    ],
    [
      'a misspelt member',
      { url: 'https://b.fr/', parameters: { desc: 'a' } },
      'parameters.desc: unknown member',
    ],
  ])('400 %s', async (_, body, error) => {
    expect(await track(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it.each([
    ['campaign', { url: 'https://b.fr/' }, 999, 'Campaign not found'],
    [
      'directory',
      { url: 'https://b.fr/', parameters: { idDirectory: 999 } },
      undefined,
      'parameters.idDirectory: Directory not found',
    ],
    [
      'thematic',
      { url: 'https://b.fr/', parameters: { idThematic: 999 } },
      undefined,
      'parameters.idThematic: Thematic not found',
    ],
  ])('404 for an unknown %s', async (_, body, idCampaign, error) => {
    expect(await track(body, idCampaign)).toMatchObject({ status: 404, error });
  });

  it('403 for a reader', async () => {
    const body = { url: 'https://b.fr/' };
    expect((await t.call('POST', `/campaigns/${id}/tracked-links`, { body, as: 'reader' })).status).toBe(403);
  });
});
