import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type Advertisement, maxAdvertisementBytes, maxAdvertisements } from '../advertisement.ts';
import { advertisers } from '../advertiser-store.ts';
import { affiliations } from '../affiliation-store.ts';
import { contentsOperations } from '../operations.ts';
import { insertThematic } from '../thematic-store.ts';

describe('createAdvertisement', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/advertisements', { body, as: 'editor' });
  const least = { name: 'Sale', html: '<p>Sale</p>' };

  it('200 answers it with its id, dates and author', async () => {
    const reply = await create(least);
    expect(reply).toMatchObject({ status: 200, typeName: 'Advertisement' });
    expect(reply.data).toEqual({
      ...least,
      id: 1,
      creationDate: '2026-11-20T10:00:00.000Z',
      updateDate: '2026-11-20T10:00:00.000Z',
      isArchive: false,
      idUser: expect.any(Number),
      idAdvertiser: null,
      idAffiliation: null,
      idsThematic: [],
    });
    const { id: idAdvertiser } = await advertisers.insert(t.db, { name: 'a', sector: 'Food' });
    const { id: idAffiliation } = await affiliations.insert(t.db, { name: 'a', webSite: 'https://a.fr/' });
    const thematic = { idParentThematic: null, name: 't', description: '', isEnabled: true };
    const thematics = [await insertThematic(t.db, thematic), await insertThematic(t.db, thematic)];
    const full = { ...least, isArchive: true, idAdvertiser, idAffiliation };
    const ignored = { id: 99, idUser: 99, creationDate: '2000-01-01T00:00:00Z', updateDate: null };
    const made = await create({ ...full, idsThematic: [...thematics, thematics[0]], ...ignored });
    expect(made.data).toMatchObject({ ...full, id: 2, idsThematic: thematics });
    expect((await t.call('GET', '/advertisements/2')).data).toEqual(made.data);
  });

  it('200 with 0 as advertiser and affiliation is of none', async () => {
    const data: Advertisement = (await create({ ...least, idAdvertiser: 0, idAffiliation: 0 })).data;
    expect(data).toMatchObject({ idAdvertiser: null, idAffiliation: null });
    expect((await t.call('GET', `/advertisements/${data.id}`)).data).toEqual(data);
  });

  it('200 keeps its HTML as it is, whatever is in it', async () => {
    const html = `<script>alert("1")</script>\r\n<a href='javascript:x'>[[NOPE]]</a>\u00a0é`;
    expect((await create({ ...least, html })).data).toMatchObject({ html });
  });

  it.each([
    ['no name', { html: 'a' }, 'name: is required'],
    ['no HTML', { name: 'a' }, 'html: is required'],
    ['an empty name', { ...least, name: '' }, 'name: '],
    ['a line end in the name', { ...least, name: 'a\nb' }, 'name: holds characters'],
    ['NUL in the HTML', { ...least, html: 'a\0' }, 'html: holds characters'],
    ['too long HTML', { ...least, html: 'x'.repeat(500_001) }, 'html: must have at most 500000'],
    ['a thematic that is none', { ...least, idsThematic: ['x'] }, 'idsThematic[0]: must be'],
    ['101 thematics', { ...least, idsThematic: Array(101).fill(1) }, 'idsThematic: must have at most 100'],
    ['a misspelt member', { ...least, idThematic: 1 }, 'idThematic: unknown member'],
  ])('400 %s', async (_, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it.each([
    ['idAdvertiser: Advertiser not found', { idAdvertiser: 999 }],
    ['idAffiliation: Affiliation not found', { idAffiliation: 999 }],
    ['idsThematic: Thematic not found', { idsThematic: [999] }],
  ])('404 %s', async (error, of) => {
    expect(await create({ ...least, ...of })).toMatchObject({ status: 404, error });
  });

  it('422 when the site has as many, or as much, as one answer can list', async () => {
    const { advertisement } = t.db.t;
    const fill = (count: number, html: string) =>
      t.db.run(sql`
        insert into ${advertisement} (id_user, name, html, created_at, updated_at)
        select 1, 'x', ${html}, now(), now() from generate_series(1, ${count}::int)`);
    await fill(maxAdvertisements, 'x');
    expect(await create(least)).toMatchObject({
      status: 422,
      error: `A site has at most ${maxAdvertisements} advertisements`,
    });
    await t.db.run(sql`delete from ${advertisement}`);
    await fill(64, 'é'.repeat(250_000));
    expect(await create({ ...least, html: 'x' })).toMatchObject({
      status: 422,
      error: `html: the advertisements of a site have at most ${maxAdvertisementBytes} bytes in total`,
    });
    expect((await create({ ...least, html: '' })).status).toBe(200);
  });

  it('403 for a reader', async () => {
    expect((await t.call('POST', '/advertisements', { body: least, as: 'reader' })).status).toBe(403);
  });
});
