import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import type { Advertisement } from '../advertisement.ts';
import { advertisements } from '../advertisement-store.ts';
import { advertisers } from '../advertiser-store.ts';
import { affiliations } from '../affiliation-store.ts';
import { contentsOperations } from '../operations.ts';
import { insertThematic } from '../thematic-store.ts';

describe('modifyAdvertisement', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const modify = (body: unknown) => t.call('PUT', '/advertisements', { body, as: 'editor' });

  it('200 changes what is given and nothing else', async () => {
    const { id: idAdvertiser } = await advertisers.insert(t.db, { name: 'a', sector: 'Food' });
    const { id: idAffiliation } = await affiliations.insert(t.db, { name: 'a', webSite: 'https://a.fr/' });
    const thematic = { idParentThematic: null, name: 't', description: '', isEnabled: true };
    const idsThematic = [await insertThematic(t.db, thematic)];
    const id = await makeAd(t.db, 'a', { idAdvertiser, idAffiliation, idsThematic });
    const before = await advertisements.get(t.db, id);
    const updateDate = new Date('2026-11-20T10:00:00Z');
    expect(await modify({ id, html: 'b' })).toMatchObject({ status: 200, data: true, typeName: 'Boolean' });
    const after = { ...before, html: 'b', updateDate };
    expect(await advertisements.get(t.db, id)).toEqual(after);
    await modify({ id, name: null, html: null, isArchive: null, idsThematic: null });
    expect(await advertisements.get(t.db, id)).toEqual(after);
    await modify({
      id,
      name: 'c',
      isArchive: true,
      idAdvertiser: null,
      idAffiliation: null,
      idsThematic: [],
    });
    expect(await advertisements.get(t.db, id)).toEqual({
      ...after,
      name: 'c',
      isArchive: true,
      idAdvertiser: null,
      idAffiliation: null,
      idsThematic: [],
    });
  });

  it('200 removes advertiser and affiliation with 0', async () => {
    const { id: idAdvertiser } = await advertisers.insert(t.db, { name: 'a', sector: 'Food' });
    const { id: idAffiliation } = await affiliations.insert(t.db, { name: 'a', webSite: 'https://a.fr/' });
    const id = await makeAd(t.db, 'a', { idAdvertiser, idAffiliation });
    expect((await modify({ id, idAdvertiser: 0 })).status).toBe(200);
    expect(await advertisements.get(t.db, id)).toMatchObject({ idAdvertiser: null, idAffiliation });
    expect((await modify({ id, idAffiliation: 0 })).status).toBe(200);
    expect(await advertisements.get(t.db, id)).toMatchObject({ idAdvertiser: null, idAffiliation: null });
  });

  it('200 takes what was read, changed', async () => {
    const id = await makeAd(t.db, 'a');
    const read: Advertisement = (await t.call('GET', `/advertisements/${id}`)).data;
    expect((await modify({ ...read, name: 'b', creationDate: null, idUser: 99 })).status).toBe(200);
    const { idUser } = read;
    // The reply's JSON has the date as text.
    const creationDate = new Date(read.creationDate);
    expect(await advertisements.get(t.db, id)).toMatchObject({ name: 'b', creationDate, idUser });
  });

  it.each([
    ['no id', { name: 'a' }, 'id: is required'],
    ['an empty name', { id: 1, name: '' }, 'name: '],
    ['too long HTML', { id: 1, html: 'x'.repeat(500_001) }, 'html: must have at most 500000'],
    ['a misspelt member', { id: 1, isArchived: true }, 'isArchived: unknown member'],
  ])('400 %s', async (_, body, error) => {
    expect(await modify(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('404 for an unknown one, and for a record that it names', async () => {
    const id = await makeAd(t.db, 'a');
    for (const [body, error] of [
      [{ id: 999 }, 'Advertisement not found'],
      [{ id, idAdvertiser: 999 }, 'idAdvertiser: Advertiser not found'],
      [{ id, idAffiliation: 999 }, 'idAffiliation: Affiliation not found'],
      [{ id, idsThematic: [999] }, 'idsThematic: Thematic not found'],
    ] as const)
      expect(await modify(body)).toMatchObject({ status: 404, error });
  });

  it('422 when it would grow beyond what one answer can list; it may always shrink', async () => {
    const id = await makeAd(t.otherDb, 'x');
    await t.otherDb.run(sql`
      insert into ${t.otherDb.t.advertisement} (id_user, name, html, created_at, updated_at)
      select 1, 'x', repeat('é', 250000), now(), now() from generate_series(1, 64)`);
    const modifyOther = (html: string) =>
      t.call('PUT', '/advertisements', { body: { id, html }, site: 'other', as: 'admin' });
    expect(await modifyOther('xx')).toMatchObject({
      status: 422,
      error: expect.stringContaining('html: the advertisements of a site have at most'),
    });
    expect((await modifyOther('')).status).toBe(200);
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', '/advertisements', { body: { id: 1 }, as: 'reader' })).status).toBe(403);
  });
});
