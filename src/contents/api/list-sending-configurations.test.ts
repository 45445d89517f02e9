import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { setFavourite } from '../favourite-store.ts';
import { contentsOperations } from '../operations.ts';
import { makeConfiguration, type NewSendingConfiguration } from '../sending-configuration.ts';
import { insertConfiguration } from '../sending-configuration-store.ts';

interface Page {
  totalCount: number;
  count: number;
  start: number;
  items: {
    config: { id: number; name: string };
    author: string;
    isFavourite: boolean;
    directories: string;
  }[];
}

describe('listSendingConfigurations', () => {
  let t: TestApp;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    const probe = await t.call('POST', '/sending-configurations', {
      body: { name: 'Été', senderEMail: 'a@b.fr', responseEMail: 'a@b.fr', deleteEmailsAfter: 30 },
    });
    const { id, idUser } = probe.data as { id: number; idUser: number };
    ids.Été = id;
    const add = async (
      name: string,
      user: number,
      author: string,
      more: Partial<NewSendingConfiguration> = {},
    ) => {
      const values = makeConfiguration({ name, senderEMail: 'a@b.fr', responseEMail: 'a@b.fr', ...more });
      const made = await insertConfiguration(t.db, values, { idUser: user, userName: author }, t.clock.now());
      ids[name] = made.id;
    };
    t.clock.set('2026-11-20T11:00:00Z');
    await add('zoo', 999, 'Zoé');
    t.clock.set('2026-11-20T12:00:00Z');
    await add('Avent', 999, 'bob');
    await add('old', 999, 'bob', { isArchive: true });
    await t.call('PUT', `/sending-configurations/${ids.zoo}/favourite`, { body: true });
    await t.call('PUT', `/sending-configurations/${ids.Avent}/favourite`, { body: true });
    await t.call('PUT', `/sending-configurations/${ids.Avent}/favourite`, { body: false });
    await setFavourite(t.db, 999, 'sending_configuration', ids.Avent!, true);
    await insertConfiguration(
      t.otherDb,
      makeConfiguration({ name: 'foreign', senderEMail: 'a@b.fr', responseEMail: 'a@b.fr' }),
      { idUser, userName: 'x' },
      t.clock.now(),
    );
  });
  afterAll(() => t.close());

  const list = (query: Record<string, string | number> = {}) =>
    t.call('GET', '/sending-configurations', {
      query: { 'filter.sortBy': 'Id', 'filter.order': 'ASC', ...query },
      as: 'reader',
    });
  const names = async (query: Record<string, string | number> = {}) => {
    const reply = await list(query);
    expect(reply).toMatchObject({ status: 200, typeName: 'Paged<ListedSendingConfiguration>' });
    return (reply.data as Page).items.map((item) => item.config.name);
  };

  it('200 lists what is not archived', async () => {
    const { data } = await list();
    expect(data).toMatchObject({
      totalCount: 3,
      count: 3,
      start: 0,
      items: [
        { config: { name: 'Été', deleteEmailsAfter: 30 }, author: 'Ada', isFavourite: false },
        { config: { name: 'zoo' }, author: 'Zoé', isFavourite: true },
        { config: { name: 'Avent' }, author: 'bob', isFavourite: false },
      ],
    });
  });

  it('200 by location', async () => {
    expect(await names({ 'filter.location': 'All' })).toEqual(['Été', 'zoo', 'Avent']);
    expect(await names({ 'filter.location': 'MyFavorites' })).toEqual(['zoo']);
    expect(await names({ 'filter.location': 'MyCreated' })).toEqual(['Été']);
    expect(await names({ 'filter.location': 'Archives' })).toEqual(['old']);
  });

  it('200 by directory, not the archived', async () => {
    const { data: id } = await t.call('POST', '/pictures/directories', {
      body: { name: 'Season', dirType: 'Config' },
    });
    for (const name of ['Avent', 'old'])
      await t.call('PUT', `/sending-configurations/${ids[name]}/directories`, { body: [id] });
    expect(await names({ 'filter.location': id })).toEqual(['Avent']);
    expect(await names({ 'filter.location': 999 })).toEqual([]);
  });

  it('200 with the names of the directories of each', async () => {
    const dirType = 'Config';
    const make = (name: string) => t.call('POST', '/pictures/directories', { body: { name, dirType } });
    const made = [await make('Shops'), await make('Été')].map(({ data }) => data);
    await t.call('PUT', `/sending-configurations/${ids.zoo}/directories`, { body: made });
    const { items } = (await list()).data as Page;
    expect(items.map(({ directories }) => directories)).toEqual(['', 'Été, Shops', 'Season']);
  });

  it('200 by name, ignoring case and accents', async () => {
    expect(await names({ 'filter.name': 'ET' })).toEqual(['Été']);
    expect(await names({ 'filter.name': '%' })).toEqual([]);
  });

  it('200 by id, archived or not', async () => {
    expect(await names({ 'filter.idConfig': ids.old! })).toEqual(['old']);
    expect(await names({ 'filter.idConfig': ids.old!, 'filter.location': 'All' })).toEqual([]);
    expect(await names({ 'filter.idConfig': 999 })).toEqual([]);
    expect(await names({ 'filter.idConfig': 0 })).toEqual(['Été', 'zoo', 'Avent']);
  });

  it('200 by deleteEmailsAfter', async () => {
    expect(await names({ 'filter.deleteEmailsAfter': 30 })).toEqual(['Été']);
    expect(await names({ 'filter.deleteEmailsAfter': 31 })).toEqual([]);
    const all = await names({});
    expect(await names({ 'filter.deleteEmailsAfter': 0, 'filter.name': '' })).toEqual(all);
  });

  it('200 in each order', async () => {
    const sorted = (sortBy: string, order = 'ASC') =>
      names({ 'filter.sortBy': sortBy, 'filter.order': order });
    expect(await sorted('Name')).toEqual(['Avent', 'Été', 'zoo']);
    expect(await sorted('Name', 'DESC')).toEqual(['zoo', 'Été', 'Avent']);
    expect(await sorted('Id', 'DESC')).toEqual(['Avent', 'zoo', 'Été']);
    expect(await sorted('LastUpdate')).toEqual(['Été', 'zoo', 'Avent']);
    expect(await sorted('Author')).toEqual(['Été', 'Avent', 'zoo']);
  });

  it('200 in pages, the total also past the end', async () => {
    expect((await list({ 'filter.start': 1, 'filter.limit': 1 })).data).toMatchObject({
      totalCount: 3,
      count: 1,
      start: 1,
      items: [{ config: { name: 'zoo' } }],
    });
    expect((await list({ 'filter.start': 10 })).data).toEqual({
      totalCount: 3,
      count: 0,
      start: 10,
      items: [],
    });
  });

  it.each([
    ['filter.sortBy', 'name; drop table x', 'filter.sortBy: must be one of Name, Id, LastUpdate, Author'],
    ['filter.order', 'asc', 'filter.order: must be one of ASC, DESC'],
    ['filter.location', 'MyTests', 'filter.location: must be one of All, MyFavorites, MyCreated, Archives'],
    [
      'filter.location',
      '',
      'filter.location: must be one of All, MyFavorites, MyCreated, Archives, or the id',
    ],
    ['filter.limit', '0', 'filter.limit: '],
    ['filter.start', '-1', 'filter.start: '],
    ['filter.idConfig', 'x', 'filter.idConfig: '],
    ['filter.nope', '1', 'filter.nope: unknown member'],
  ])('400 %s = %s', async (name, value, error) => {
    expect(await list({ [name]: value })).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('400 without an order', async () => {
    expect((await t.call('GET', '/sending-configurations')).status).toBe(400);
  });

  it('413 for a page whose parts would fill the memory; fewer at a time are listed', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.sending_configuration}
        (id_user, author, name, created_at, updated_at, sender_email, response_email, header_html, footer_html)
      select 1, 'Ada', 'Huge', now(), now(), 'a@b.fr', 'a@b.fr', repeat('x', 500000), repeat('x', 500000)
      from generate_series(1, 65)`);
    const query = { 'filter.name': 'Huge', 'filter.sortBy': 'Id', 'filter.order': 'ASC' };
    const all = await t.call('GET', '/sending-configurations', { query: { ...query, 'filter.limit': 100 } });
    expect(all).toMatchObject({ status: 413, error: expect.stringContaining('filter.limit: the contents') });
    const some = await t.call('GET', '/sending-configurations', { query: { ...query, 'filter.limit': 2 } });
    expect(some).toMatchObject({ status: 200, data: { totalCount: 65, count: 2 } });
  });
});
