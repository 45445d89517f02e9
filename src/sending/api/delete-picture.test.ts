import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration } from '../../testing/campaign-makers.ts';
import { makePicture } from '../../testing/make-picture.ts';
import { makeJob } from '../../testing/make-sent.ts';

describe('deletePicture', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const remove = (id: number, query = {}) => t.call('DELETE', `/pictures/${id}`, { query, as: 'editor' });
  const urlOf = async (id: number): Promise<string> => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const { items } = (await t.call('GET', '/pictures', { query })).data as {
      items: { idPicture: number; url: string }[];
    };
    return items.find((one) => one.idPicture === id)!.url;
  };
  const left = async () => {
    const { pictures } = await t.db.one<{ pictures: number }>(
      sql`select count(*) as pictures from ${t.db.t.picture}`,
    );
    const { files } = await t.db.one<{ files: number }>(
      sql`select count(*) as files from ${t.db.t.picture_file}`,
    );
    return { pictures, files };
  };

  it('200 deletes it, and its file with the last picture of the same bytes', async () => {
    const tag = (await t.call('POST', '/pictures/directories', { body: { name: 'Tag' } })).data as number;
    const ids = [await makePicture(t.db, { idDirectory: tag }), await makePicture(t.db)];
    await t.call('PUT', `/pictures/${ids[0]}/favourite`, { body: true });
    expect(await remove(ids[0]!)).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    expect(await left()).toEqual({ pictures: 1, files: 1 });
    expect((await remove(ids[1]!)).status).toBe(200);
    expect(await left()).toEqual({ pictures: 0, files: 0 });
    for (const table of [t.db.t.favourite, t.db.t.object_directory])
      expect(await t.db.rows(sql`select from ${table}`)).toEqual([]);
    // The same bytes can come again.
    expect((await remove(await makePicture(t.db))).status).toBe(200);
  });

  it('409 where contents and messages show it, by name; with force all the same', async () => {
    const id = await makePicture(t.db);
    const html = `<img src="${await urlOf(id)}">`;
    const idCampaign = await makeCampaign(t.db, { htmlContent: html });
    const idConfiguration = await makeConfiguration(t.db, html);
    const advertisement = (await t.call('POST', '/advertisements', { body: { name: 'a', html } })).data as {
      id: number;
    };
    const { idJob } = await makeJob(t.db);
    await t.db.run(sql`
      update ${t.db.t.job} set frozen = ${JSON.stringify({ source: { html } })}::jsonb where id = ${idJob}`);
    expect(await remove(id)).toMatchObject({
      status: 409,
      error:
        `The picture is shown by campaign ${idCampaign}, advertisement ${advertisement.id}, ` +
        `sending configuration ${idConfiguration}, the messages of job ${idJob}; ` +
        'remove it there, archive it, or set force to true',
    });
    expect(await left()).toEqual({ pictures: 1, files: 1 });
    // Another picture of the same bytes keeps the file.
    const twin = await makePicture(t.db);
    expect((await remove(twin)).status).toBe(200);
    expect((await remove(id, { force: true })).status).toBe(200);
    expect(await left()).toEqual({ pictures: 0, files: 0 });
  });

  it('200 while the same bytes are uploaded: the new picture has its file', async () => {
    for (let i = 0; i < 5; i++) {
      const id = await makePicture(t.db);
      const [removed, made] = await Promise.all([remove(id), makePicture(t.db)]);
      expect(removed.status).toBe(200);
      expect(await left()).toEqual({ pictures: 1, files: 1 });
      expect((await remove(made)).status).toBe(200);
    }
  });

  it('404 for an unknown one', async () => {
    expect(await remove(99_999)).toMatchObject({ status: 404, error: 'Picture not found' });
  });
});
