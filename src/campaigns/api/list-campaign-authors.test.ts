import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('listCampaignAuthors', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const authors = () => t.call('GET', '/campaigns/authors', { as: 'reader' });
  const makeBy = async (idUser: number, author: string, isArchive = false) => {
    const id = await makeCampaign(t.db, { parameters: { isArchive } });
    await t.db.run(
      sql`update ${t.db.t.campaign} set id_user = ${idUser}, author = ${author} where id = ${id}`,
    );
  };

  it('200 with each author once, by name, under the newest one', async () => {
    expect(await authors()).toMatchObject({ status: 200, data: [], typeName: 'CampaignAuthor[]' });
    await makeBy(77, 'Zoé Martin');
    await makeBy(78, 'Émile');
    await makeBy(77, 'Zoé Durand', true);
    await makeBy(79, 'Frank');
    await makeCampaign(t.otherDb);
    expect((await authors()).data).toEqual([
      { idAuthor: 78, name: 'Émile', nbCampaigns: 1 },
      { idAuthor: 79, name: 'Frank', nbCampaigns: 1 },
      { idAuthor: 77, name: 'Zoé Durand', nbCampaigns: 2 },
    ]);
  });

  it('401 without a token', async () => {
    expect((await t.call('GET', '/campaigns/authors', { as: null })).status).toBe(401);
  });
});
