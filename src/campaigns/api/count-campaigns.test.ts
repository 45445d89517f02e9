import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('countCampaigns', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const count = (query: Record<string, string> = {}) =>
    t.call('GET', '/campaigns/counts', { as: 'reader', query });

  it('200 with the number of each state, archived ones apart, filtered as the list', async () => {
    expect(await count()).toMatchObject({ status: 200, data: [] });
    const made = [
      { name: 'Été', subject: 'Bulbs', state: 'Finished' },
      { name: 'Autumn', subject: 'ETE again', state: 'Finished' },
      { name: 'Winter', subject: 'Soil', state: 'None' },
      { name: 'Old', subject: 'Pots', state: 'Finished', isArchive: true },
    ];
    const ids: number[] = [];
    for (const { name, subject, state, isArchive = false } of made) {
      const id = await makeCampaign(t.db, { parameters: { name, subject, isArchive } });
      await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = ${state} where id = ${id}`);
      ids.push(id);
    }
    expect((await count()).data).toEqual([
      { state: 'Finished', isArchive: false, count: 2 },
      { state: 'Finished', isArchive: true, count: 1 },
      { state: 'None', isArchive: false, count: 1 },
    ]);
    expect((await count({ 'filter.text': 'ete' })).data).toEqual([
      { state: 'Finished', isArchive: false, count: 2 },
    ]);
    expect((await count({ 'filter.text': ` ${ids[2]} ` })).data).toEqual([
      { state: 'None', isArchive: false, count: 1 },
    ]);
    await t.call('PUT', `/campaigns/${ids[3]}/favourite`, { body: true, as: 'reader' });
    expect((await count({ 'filter.location': 'MyFavorites' })).data).toEqual([
      { state: 'Finished', isArchive: true, count: 1 },
    ]);
  });

  it('400 for an unknown location', async () => {
    expect(await count({ 'filter.location': 'Archives' })).toMatchObject({
      status: 400,
      error: 'filter.location: must be empty, myCreatedLocation, MyFavorites or the id of a directory',
    });
  });
});
