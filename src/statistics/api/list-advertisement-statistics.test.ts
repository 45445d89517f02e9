import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAdvertisement } from '../../contents/advertisement.ts';
import { insertAdvertisement } from '../../contents/advertisement-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeClicks } from '../../testing/make-clicks.ts';

describe('listAdvertisementStatistics', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const list = (query: Record<string, number>) =>
    t.call('GET', '/statistics/advertisements', { query, as: 'reader' });

  it('200 with what each advertisement was clicked, also one that nobody clicked', async () => {
    const { idSent, idLink } = await makeClicks(t);
    const ad = (name: string) =>
      insertAdvertisement(t.db, makeAdvertisement({ name, html: '<b>x</b>' }), 1, t.clock.now());
    const clicked = (await ad('Clicked')).id;
    const shown = (await ad('Shown')).id;
    await t.db.run(sql`update ${t.db.t.tracked_link} set id_advertisement = ${clicked} where id = ${idLink}`);
    await t.db.run(sql`
      update ${t.db.t.sent} set advertisements = ${JSON.stringify([{ idAdvertisement: shown, position: 1 }])}::jsonb
      where id = ${idSent}`);
    expect(await list({ idSent })).toMatchObject({
      status: 200,
      data: [
        { idAdvertisement: clicked, name: 'Clicked', nbClicks: 3, nbClickers: 2, nbHumanClickers: 1 },
        { idAdvertisement: shown, name: 'Shown', nbClicks: 0, nbClickers: 0, nbHumanClickers: 0 },
      ],
    });
  });

  it('404 for an unknown sending', async () => {
    expect(await list({ idSent: 99_999 })).toMatchObject({ status: 404, error: 'Sending not found' });
  });
});
