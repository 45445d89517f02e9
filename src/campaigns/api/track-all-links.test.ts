import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { makeCampaignOfTooManyLinks } from '../../testing/make-advertisement.ts';
import { getCampaign } from '../campaign-store.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { linksForMessages, listLinks, untrack } from '../tracked-link-store.ts';

describe('trackAllLinks', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
  });
  afterAll(() => t.close());

  const trackAll = (body: unknown) => t.call('POST', '/campaigns/tracked-links', { body, as: 'editor' });

  it('200 tracks every address, also one that was taken out of tracking', async () => {
    const id = await makeCampaign(t.db, {
      htmlContent: '<a href="https://a.fr/">a</a><a href="tel:+33">t</a><a href="https://b.fr/">b</a>',
    });
    expect((await getCampaign(t.db, id)).isTracked).toBe(false);
    const reply = await trackAll(id);
    expect(reply).toMatchObject({ status: 200, typeName: 'TrackedUrl[]' });
    const links = reply.data as TrackedUrl[];
    expect(links.map((link) => [link.url, link.isTracked])).toEqual([
      ['https://a.fr/', true],
      ['tel:+33', false],
      ['https://b.fr/', true],
    ]);
    await untrack(t.db, id, links[0]!.id);
    expect((await trackAll(id)).data).toEqual(links);
    expect((await getCampaign(t.db, id)).isTracked).toBe(true);
    const standing = links.map(({ url }) => ({ url, placement: undefined }));
    expect(await linksForMessages(t.db, id, standing)).toEqual([
      { url: 'https://a.fr/', id: links[0]!.id, placement: null },
      { url: 'https://b.fr/', id: links[2]!.id, placement: null },
    ]);
  });

  it('422 when all segments together have too many links; none is stored', async () => {
    const id = await makeCampaignOfTooManyLinks(t.db);
    expect(await trackAll(id)).toMatchObject({
      status: 422,
      error: 'The messages of all segments have more than 25000 links',
    });
    expect(await listLinks(t.db, id)).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await trackAll(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });

  it.each([['x'], [0], [1.5], [null], [{ id: 1 }]])('400 for %o', async (body) => {
    expect((await trackAll(body)).status).toBe(400);
  });
});
