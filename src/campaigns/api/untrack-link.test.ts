import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { listLinks } from '../tracked-link-store.ts';

describe('untrackLink', () => {
  let t: TestApp;
  let id: number;
  let link: TrackedUrl;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
    id = await makeCampaign(t.db, { htmlContent: '<a href="https://a.fr/">a</a>' });
    [link] = (await t.call('POST', '/campaigns/tracked-links', { body: id })).data as [TrackedUrl];
  });
  afterAll(() => t.close());

  const untrack = (idLink: number | string, idCampaign = id) =>
    t.call('DELETE', `/campaigns/${idCampaign}/tracked-links/${idLink}`, { as: 'editor' });

  it('200 ends the tracking and keeps the link, even when repeated', async () => {
    for (const _ of [1, 2])
      expect(await untrack(link.id)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await listLinks(t.db, id)).toEqual([{ ...link, isTracked: false }]);
  });

  it('404 for an unknown link, and for one of another campaign', async () => {
    const other = await makeCampaign(t.db);
    expect(await untrack(999)).toMatchObject({ status: 404, error: 'Tracked link not found' });
    expect(await untrack('9007199254740991')).toMatchObject({ status: 404 });
    expect(await untrack(link.id, other)).toMatchObject({ status: 404, error: 'Tracked link not found' });
  });

  it('400 for an invalid id', async () => {
    expect((await untrack('x')).status).toBe(400);
  });

  it('403 for a reader', async () => {
    const reply = await t.call('DELETE', `/campaigns/${id}/tracked-links/${link.id}`, { as: 'reader' });
    expect(reply.status).toBe(403);
  });
});
