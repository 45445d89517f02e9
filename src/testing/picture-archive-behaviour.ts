import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from './app.ts';
import { makePicture } from './make-picture.ts';

/** What `archivePicture` and `unarchivePicture` do; only the location Archives lists archived pictures. */
export function behavesAsArchivingPictures(act: 'archive' | 'unarchive'): void {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const set = (id: number, how: string) => t.call('POST', `/pictures/${id}/${how}`, { as: 'editor' });
  const listed = async (location: string) => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.location': location };
    const { items } = (await t.call('GET', '/pictures', { query })).data as {
      items: { idPicture: number }[];
    };
    return items.map(({ idPicture }) => idPicture);
  };

  it('200 and true, also when nothing changes', async () => {
    const [id, other] = [await makePicture(t.db), await makePicture(t.db)];
    await set(id, 'archive');
    for (let i = 0; i < 2; i++) expect(await set(id, act)).toMatchObject({ status: 200, data: true });
    expect(await listed('Archives')).toEqual(act === 'archive' ? [id] : []);
    expect(await listed('All')).toEqual(act === 'archive' ? [other] : [id, other]);
  });

  it('404 for an unknown one', async () => {
    for (const id of [99_999])
      expect(await set(id, act)).toMatchObject({ status: 404, error: 'Picture not found' });
  });
}
