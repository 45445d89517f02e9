import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeCampaign } from '../testing/campaign-makers.ts';
import { campaignsOperations } from './operations.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ operations: campaignsOperations });
});
afterAll(() => t.close());

test('409 when another call holds the campaign for longer than a request waits, and nothing is kept', async () => {
  const id = await makeCampaign(t.db, { htmlContent: '<a href="https://a.fr/">a</a>' });
  const calls = () =>
    Promise.all([
      t.call('PUT', '/campaigns', { body: { id, parameters: { subject: 'New' } } }),
      t.call('POST', '/campaigns/tracked-links', { body: id }),
      t.call('POST', `/campaigns/${id}/tracked-links`, { body: { url: 'https://a.fr/' } }),
      t.call('GET', `/campaigns/${id}/tracked-links/default`),
    ]);
  await t.db.transaction(async (tx) => {
    await tx.run(sql`select from ${tx.t.campaign} where id = ${id} for no key update`);
    const error = expect.stringContaining(`Campaign ${id} is being changed by another call`);
    for (const reply of await calls()) expect(reply).toMatchObject({ status: 409, error });
  });
  expect(await t.db.rows(sql`select from ${t.db.t.tracked_link} where id_campaign = ${id}`)).toEqual([]);
  for (const reply of await calls()) expect(reply).toMatchObject({ status: 200 });
});
