import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeTarget } from '../../testing/campaign-makers.ts';

describe('deleteDirectory', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = async (name: string, dirType: string, idParent?: number): Promise<number> =>
    (await t.call('POST', '/pictures/directories', { body: { name, dirType, idParent } })).data;
  const remove = (id: number) => t.call('DELETE', `/directories/${id}`, { as: 'editor' });

  it('200 keeps what was in it, which names it no longer', async () => {
    const [tag, images, links] = [
      await create('Season', 'Campaign'),
      await create('Hosted', 'Image'),
      await create('Links', 'URL'),
    ];
    const idCampaign = await makeCampaign(t.db, {
      idDirectory: tag,
      autoHostPicturesIdDirectory: images,
      htmlContent: '<a href="https://shop.example/">x</a>',
    });
    await t.db.run(sql`
      insert into ${t.db.t.object_directory} (kind, id_object, id_directory)
      values ('campaign', ${idCampaign}, ${tag})`);
    const url = 'https://shop.example/';
    const link = { url, parameters: { idDirectory: links } };
    const tracked = await t.call('POST', `/campaigns/${idCampaign}/tracked-links`, { body: link });
    expect([tracked.status, tracked.error]).toEqual([200, null]);
    for (const id of [tag, images, links]) {
      expect(await remove(id)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
      expect((await t.call('GET', `/directories/${id}`)).status).toBe(404);
    }
    expect((await t.call('GET', `/campaigns/${idCampaign}`)).data).toMatchObject({
      idDirectory: null,
      autoHostPicturesIdDirectory: null,
    });
    const left = await t.call('GET', `/campaigns/${idCampaign}/tracked-links`);
    expect(JSON.stringify(left.data)).toContain('"idDirectory":null');
  });

  it('200 while somebody puts an object into it: one of the two comes first', async () => {
    const id = await create('Race', 'Filter');
    const idTarget = await makeTarget(t.db);
    const [put, removed] = await Promise.all([
      t.call('PUT', `/targets/${idTarget}/directories`, { body: [id] }),
      remove(id),
    ]);
    expect(removed.status).toBe(200);
    expect([200, 404]).toContain(put.status);
    expect((await t.call('GET', `/targets/${idTarget}/directories`)).data).toEqual([]);
  });

  it('409 for one that has sub-directories', async () => {
    const id = await create('Above', 'Image');
    const inside = await create('Inside', 'Image', id);
    expect(await remove(id)).toMatchObject({
      status: 409,
      error: `Directory ${id} has sub-directories (“Inside”); move or delete them first`,
    });
    expect((await remove(inside)).status).toBe(200);
    expect((await remove(id)).status).toBe(200);
  });

  it('422 for one of the system', async () => {
    const { id } = await t.db.one<{ id: number }>(sql`
      insert into ${t.db.t.directory} (name, dir_type, is_system) values ('Own', 'Image', true) returning id`);
    expect(await remove(id)).toMatchObject({
      status: 422,
      error: `Directory ${id} is a system directory and cannot be deleted`,
    });
  });

  it('404 for an unknown one', async () => {
    expect(await remove(99_999)).toMatchObject({ status: 404, error: 'Directory not found' });
  });
});
