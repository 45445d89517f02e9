import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from './app.ts';

/**
 * Tests of operations that list records by their names.
 * @param path where they are listed and created
 * @param one a record of a name, as it is created
 */
export function behavesAsNamedList(path: string, one: (name: string) => object): void {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    for (const name of ['Zoo', 'été', 'Etage', 'Avent']) {
      const reply = await t.call('POST', path, { body: one(name) });
      expect([reply.status, reply.error]).toEqual([200, null]);
    }
  });
  afterAll(() => t.close());

  const byName = { 'filter.sortBy': 'Name', 'filter.order': 'ASC' };
  const list = async (query: object) => {
    const reply = await t.call('GET', path, { query: { ...byName, ...query }, as: 'reader' });
    expect([reply.status, reply.error]).toEqual([200, null]);
    return reply.data as { totalCount: number; count: number; start: number; items: { name: string }[] };
  };
  const namesOf = async (query: object) => (await list(query)).items.map(({ name }) => name);

  it('200 in either order, by name ignoring case and accents, or by id', async () => {
    expect(await namesOf({})).toEqual(['Avent', 'Etage', 'été', 'Zoo']);
    expect(await namesOf({ 'filter.order': 'DESC' })).toEqual(['Zoo', 'été', 'Etage', 'Avent']);
    expect(await namesOf({ 'filter.sortBy': 'Id' })).toEqual(['Zoo', 'été', 'Etage', 'Avent']);
  });

  it('200 page by page, and those whose name has a part', async () => {
    const page = await list({ 'filter.start': 1, 'filter.limit': 2 });
    expect(page).toMatchObject({ totalCount: 4, count: 2, start: 1 });
    expect(page.items.map(({ name }) => name)).toEqual(['Etage', 'été']);
    expect(await namesOf({ 'filter.name': 'ETA' })).toEqual(['Etage']);
    expect(await namesOf({ 'filter.name': 'ete' })).toEqual(['été']);
    expect(await list({ 'filter.name': "'" })).toMatchObject({ totalCount: 0, items: [] });
  });

  it('200 shows each as it is shown alone', async () => {
    const [first] = (await list({})).items as unknown as { id?: number; idThematic?: number }[];
    expect(first).toEqual((await t.call('GET', `${path}/${first!.id ?? first!.idThematic}`)).data);
  });

  it('400 without an order, and for an unknown one', async () => {
    expect((await t.call('GET', path)).status).toBe(400);
    expect((await t.call('GET', path, { query: { ...byName, 'filter.sortBy': 'Sector' } })).status).toBe(400);
  });
}
