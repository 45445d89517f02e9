import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { makeCampaignOfTooManyLinks } from '../../testing/make-advertisement.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { listLinks, untrack } from '../tracked-link-store.ts';

describe('getOrCreateTrackedLinks', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
  });
  afterAll(() => t.close());

  const read = async (id: number) => {
    const reply = await t.call('GET', `/campaigns/${id}/tracked-links/default`, { as: 'editor' });
    expect(reply).toMatchObject({ status: 200, typeName: 'TrackedUrl[]' });
    return reply.data as TrackedUrl[];
  };

  it('200 tracks the addresses of the contents and answers them in their order', async () => {
    const id = await makeCampaign(t.db, {
      htmlContent: '<a href="https://b.fr/?x=1&amp;e=[[FLD.1]]">b</a><a href="mailto:a@b.fr">m</a>',
    });
    const links = await read(id);
    expect(links).toEqual([
      {
        id: expect.any(Number),
        url: 'https://b.fr/?x=1&e=[[FLD.1]]',
        parsedUrl: 'https://b.fr/?x=1&e=',
        origin: 'campaign',
        idAdvertisementInSegment: null,
        idSegment: null,
        idAdvertisement: null,
        isTracked: true,
        parameters: {
          description: '',
          isUnsubscriptionUrl: false,
          isMirrorUrl: false,
          idDirectory: null,
          type: 'NotRemunerated',
          sector: 'NoSector',
          incentive: 'NoPrizeOrReward',
          idThematic: null,
        },
      },
      expect.objectContaining({ url: 'mailto:a@b.fr', isTracked: false }),
    ]);
    expect(await read(id)).toEqual(links);
  });

  it('200 leaves alone what was taken out of tracking', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<a href="https://c.fr/">c</a>' });
    const [link] = await read(id);
    await untrack(t.db, id, link!.id);
    expect(await read(id)).toEqual([{ ...link, isTracked: false }]);
  });

  it('200 stores each address once when asked twice at once', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<a href="https://d.fr/">d</a>' });
    const answers = await Promise.all([read(id), read(id), read(id)]);
    expect(new Set(answers.flat().map((link) => link.id)).size).toBe(1);
  });

  it('200 for a campaign without addresses', async () => {
    expect(await read(await makeCampaign(t.db))).toEqual([]);
  });

  it('422 when all segments together have too many links; none is stored', async () => {
    const id = await makeCampaignOfTooManyLinks(t.db);
    expect(await t.call('GET', `/campaigns/${id}/tracked-links/default`)).toMatchObject({
      status: 422,
      error: 'The messages of all segments have more than 25000 links',
    });
    expect(await listLinks(t.db, id)).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await t.call('GET', '/campaigns/999/tracked-links/default')).toMatchObject({
      status: 404,
      error: 'Campaign not found',
    });
  });

  it('403 for a reader, for it writes', async () => {
    expect((await t.call('GET', '/campaigns/1/tracked-links/default', { as: 'reader' })).status).toBe(403);
  });
});
