import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations } from '../operations.ts';
import type { TrackedUrl } from '../tracked-link.ts';
import { untrack } from '../tracked-link-store.ts';

describe('listTrackedLinks', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: campaignsOperations });
  });
  afterAll(() => t.close());

  it('200 answers what was stored, tracked or not, and stores nothing', async () => {
    const id = await makeCampaign(t.db, {
      htmlContent: '<a href="https://a.fr/">a</a><a href="https://b.fr/">b</a>',
    });
    const list = () => t.call('GET', `/campaigns/${id}/tracked-links`, { as: 'reader' });
    expect(await list()).toMatchObject({ status: 200, data: [], typeName: 'TrackedUrl[]' });
    const stored = (await t.call('POST', '/campaigns/tracked-links', { body: id })).data as TrackedUrl[];
    await untrack(t.db, id, stored[0]!.id);
    expect((await list()).data).toEqual([{ ...stored[0], isTracked: false }, stored[1]]);
  });

  it('404 for an unknown campaign, and for one of another site', async () => {
    await makeCampaign(t.otherDb);
    const foreign = await makeCampaign(t.otherDb);
    for (const id of [foreign, 999])
      expect(await t.call('GET', `/campaigns/${id}/tracked-links`)).toMatchObject({
        status: 404,
        error: 'Campaign not found',
      });
  });

  it('413 when all that ever was in it would fill the memory; what is in it now is answered', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<a href="https://now.fr/">now</a>' });
    await t.db.run(sql`
      insert into ${t.db.t.tracked_link} (id_campaign, url, parsed_url, origin, parameters, created_at)
      select ${id}::int, url, url, 'campaign', '{}', now()
      from (select 'https://old.fr/' || i || repeat('x', 3900) from generate_series(1, 8500) i) old (url)`);
    expect(await t.call('GET', `/campaigns/${id}/tracked-links`)).toMatchObject({
      status: 413,
      error: expect.stringContaining('larger than 64000000 bytes'),
    });
    expect(await t.call('GET', `/campaigns/${id}/tracked-links/default`)).toMatchObject({
      status: 200,
      data: [{ url: 'https://now.fr/', isTracked: true }],
    });
  });
});
