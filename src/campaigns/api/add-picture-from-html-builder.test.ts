import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDirectory } from '../../contents/directory-store.ts';
import type { Picture } from '../../pictures/picture.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { onePixel } from '../../testing/make-picture.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('addPictureFromHtmlBuilder', () => {
  let t: TestApp;
  let idCampaign: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    const directory = await insertDirectory(t.db, { name: 'Spring', dirType: 'Image' });
    idCampaign = await makeCampaign(t.db, { autoHostPicturesIdDirectory: directory });
  });
  afterAll(() => t.close());

  const body = { name: 'Pixel', fileName: 'pixel.png', base64Content: onePixel.toString('base64') };
  const add = (query: Record<string, number>, more = {}, as: 'editor' | 'reader' = 'editor') =>
    t.call('POST', '/pictures/html-builder', { query, body: { ...body, ...more }, as });
  const pathOf = (data: unknown) => (data as Picture).filePath;

  it("200 into the campaign's directory of pictures", async () => {
    const reply = await add({ idCampaign });
    expect(reply).toMatchObject({ status: 200, typeName: 'Picture' });
    expect(pathOf(reply.data)).toBe('Spring/pixel.png');
  });

  it('200 into the directory that the body names', async () => {
    const idDirectory = await insertDirectory(t.db, { name: 'Logos', dirType: 'Image' });
    expect(pathOf((await add({ idCampaign }, { idDirectory })).data)).toBe('Logos/pixel.png');
  });

  it("200 into the campaign's directory with 0, as with null", async () => {
    for (const idDirectory of [0, null])
      expect(pathOf((await add({ idCampaign }, { idDirectory })).data)).toBe('Spring/pixel.png');
  });

  it('200 into none when the campaign has none', async () => {
    const other = await makeCampaign(t.db);
    expect(pathOf((await add({ idCampaign: other }, { idDirectory: 0 })).data)).toBe('pixel.png');
    expect(pathOf((await add({ idCampaign: other })).data)).toBe('pixel.png');
  });

  it('400, 403, 404', async () => {
    expect(await add({})).toMatchObject({ status: 400, error: 'idCampaign: is required' });
    expect((await add({ idCampaign }, {}, 'reader')).status).toBe(403);
    expect(await add({ idCampaign: 999_999 })).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it('413 for a picture of more than 10 MB', async () => {
    const base64Content = Buffer.alloc(10 * 1024 ** 2 + 3).toString('base64');
    expect(await add({ idCampaign }, { base64Content })).toMatchObject({
      status: 413,
      error: 'base64Content: a picture may have at most 10485760 bytes',
    });
  });

  it('422 for what is no picture', async () => {
    expect(await add({ idCampaign }, { base64Content: 'AAAA' })).toMatchObject({
      status: 422,
      error: 'base64Content: is not a PNG, JPEG, GIF or WebP picture',
    });
  });
});
