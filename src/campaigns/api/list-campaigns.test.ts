import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import { campaignSorts } from '../campaign-store.ts';
import { campaignsOperations } from '../operations.ts';
import { listSegments, setLastCounts } from '../segment-store.ts';

interface Page {
  readonly totalCount: number;
  readonly count: number;
  readonly start: number;
  readonly items: readonly { readonly id: number; readonly parameters: { readonly name: string } }[];
}

describe('listCampaigns', () => {
  let t: TestApp;
  let names: Map<number, string>;
  let idDirectory: number;
  let idTarget: number;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...campaignsOperations] });
    const ids = [
      await makeCampaign(t.db, { parameters: { name: 'Été', type: 'Topic' } }),
      await makeCampaign(t.db, { parameters: { name: 'ete 2', mode: 'Dynamic', subject: 'The second' } }),
      await makeCampaign(t.db, {
        parameters: { name: 'Zoo', mode: 'TestAb', isAbTest: true, abTestType: 'Sender', nbTests: 2 },
      }),
    ];
    names = new Map([...'abc'].map((name, index) => [ids[index]!, name]));
    const [a, b, c] = ids as [number, number, number];
    idDirectory = (
      await t.call('POST', '/pictures/directories', { body: { name: 'Season', dirType: 'Campaign' } })
    ).data;
    await t.call('PUT', '/campaigns', { body: { id: c, parameters: {}, idDirectory } });
    const { campaign } = t.db.t;
    await t.db.run(sql`
      update ${campaign} set created_at = '2026-01-02Z', updated_at = '2026-05-01Z', id_user = 77, author = 'Zoé'
      where id = ${b}`);
    await t.db.run(sql`
      update ${campaign}
      set created_at = '2026-01-03Z', updated_at = '2026-04-01Z', is_automation = true, schedule_state = 'Programmed'
      where id = ${c}`);
    await t.db.run(sql`
      update ${campaign} set created_at = '2026-01-01Z', updated_at = '2026-06-01Z' where id = ${a}`);
    idTarget = await makeTarget(t.db, { isSafe: false });
    const counts = new Map([
      [await makeSegment(t.db, a, { idTarget }), 10],
      [await makeSegment(t.db, a, { idTarget, isExcluded: true }), 500],
      [await makeSegment(t.db, b, { idTarget }), 40],
    ]);
    const segments = [...(await listSegments(t.db, a)), ...(await listSegments(t.db, b))];
    await setLastCounts(t.db, segments, counts);
  });
  afterAll(() => t.close());

  const list = (query: Record<string, string | number | boolean>, as: 'reader' | 'admin' = 'reader') =>
    t.call('GET', '/campaigns', { as, query: { 'filter.sortBy': 'Id', 'filter.order': 'ASC', ...query } });
  const letters = async (query: Record<string, string | number | boolean>) => {
    const page: Page = (await list(query)).data;
    return page.items.map((item) => names.get(item.id)).join('');
  };

  it('200 with a page of campaigns, without their contents', async () => {
    const reply = await list({ 'filter.limit': 2, 'filter.start': 1 });
    expect(reply).toMatchObject({ status: 200, typeName: 'Paged<Campaign>' });
    expect(reply.data).toMatchObject({ totalCount: 3, count: 2, start: 1 });
    const { items }: Page = reply.data;
    const { htmlContent, textContent, ...whole }: Record<string, unknown> = (
      await t.call('GET', `/campaigns/${items[0]!.id}`)
    ).data;
    expect([htmlContent, textContent]).toEqual([expect.any(String), expect.any(String)]);
    expect(items[0]).toEqual(whole);
  });

  it('200 with the contents where they are requested', async () => {
    const { items }: Page = (await list({ 'filter.withContents': true })).data;
    for (const item of items) expect(item).toEqual((await t.call('GET', `/campaigns/${item.id}`)).data);
  });

  it('200 with the total even for a page after the last one', async () => {
    expect((await list({ 'filter.start': 50 })).data).toEqual({
      totalCount: 3,
      count: 0,
      start: 50,
      items: [],
    });
  });

  it.each([
    ['name without case and accents', { 'filter.name': 'ETE' }, 'ab'],
    ['name as text, not as a pattern', { 'filter.name': '%' }, ''],
    ['creation start', { 'filter.creationStartDate': '2026-01-02T00:00:00Z' }, 'bc'],
    ['creation end', { 'filter.creationEndDate': '2026-01-02T01:00:00+01:00' }, 'ab'],
    ['A/B test', { 'filter.isABTest': true }, 'c'],
    ['no A/B test', { 'filter.isABTest': false }, 'ab'],
    ['automation', { 'filter.isAutomation': true }, 'c'],
    ['no automation', { 'filter.isAutomation': false }, 'ab'],
    ['mode', { 'filter.mode': 'Dynamic' }, 'b'],
    ['type', { 'filter.type': 'Topic' }, 'a'],
    ['every location', { 'filter.location': '' }, 'abc'],
    ['those of the caller', { 'filter.location': 'myCreatedLocation' }, 'ac'],
    ['an author', { 'filter.idAuthor': 77 }, 'b'],
    [
      'an author who is not the caller',
      { 'filter.idAuthor': 77, 'filter.location': 'myCreatedLocation' },
      '',
    ],
    ['a part of the subject', { 'filter.text': 'SÉCOND' }, 'b'],
    ['a part of the name', { 'filter.text': 'zo' }, 'c'],
    ['text as text, not as a pattern', { 'filter.text': '%' }, ''],
    ['a state', { 'filter.states': 'Programmed' }, 'c'],
    ['two at once', { 'filter.name': 'e', 'filter.type': 'Newsletter' }, 'b'],
  ])('200 filtered by %s', async (_what, query, expected) => {
    expect(await letters(query)).toBe(expected);
  });

  it('200 filtered by a target of segments or of tests', async () => {
    expect(await letters({ 'filter.idTarget': idTarget })).toBe('ab');
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true });
    const [c] = [...names].find(([, letter]) => letter === 'c')!;
    await t.db.run(sql`
      update ${t.db.t.campaign}
      set parameters = parameters || jsonb_build_object('idTestTarget', ${idTestTarget}::int) where id = ${c}`);
    expect(await letters({ 'filter.idTarget': idTestTarget })).toBe('c');
    expect(await letters({ 'filter.idTarget': 99_999 })).toBe('');
  });

  it('200 filtered by the number, and by several states', async () => {
    for (const [id, letter] of names) expect(await letters({ 'filter.text': String(id) })).toContain(letter);
    const both = await t.call('GET', '/campaigns', {
      as: 'reader',
      query: {
        ...{ 'filter.sortBy': 'Id', 'filter.order': 'ASC' },
        'filter.states': ['None', 'Programmed'] as never,
      },
    });
    expect(both.data).toMatchObject({ totalCount: 3 });
  });

  it('200 filtered by a directory', async () => {
    expect(await letters({ 'filter.location': String(idDirectory) })).toBe('c');
  });

  it.each([
    ['Name', 'abc'],
    ['Id', 'abc'],
    ['LastUpdateDate', 'cba'],
    ['CreationDate', 'abc'],
    ['Author', 'acb'],
    ['Type', 'bca'],
    ['Mode', 'bac'],
    // Campaigns without a value come last in both orders.
    ['LastNbAddressesCount', 'abc'],
    ['Directories', 'cab'],
  ])('200 sorted by %s', async (sortBy, expected) => {
    expect(campaignSorts).toContain(sortBy);
    expect(await letters({ 'filter.sortBy': sortBy })).toBe(expected);
  });

  it('200 in descending order', async () => {
    expect(await letters({ 'filter.sortBy': 'LastNbAddressesCount', 'filter.order': 'DESC' })).toBe('bac');
    expect(await letters({ 'filter.sortBy': 'Name', 'filter.order': 'DESC' })).toBe('cba');
  });

  it.each([
    ['a missing order', { 'filter.order': '' }, 'filter.order: must be one of'],
    ['an unknown sort', { 'filter.sortBy': 'Size' }, 'filter.sortBy: must be one of'],
    ['a date that is none', { 'filter.creationStartDate': 'today' }, 'filter.creationStartDate: must be'],
    [
      'a leap second',
      { 'filter.creationEndDate': '2016-12-31T23:59:60Z' },
      'filter.creationEndDate: is no date and time',
    ],
    [
      'a day that is none',
      { 'filter.creationEndDate': '2026-02-30T00:00:00Z' },
      'filter.creationEndDate: is no date and time',
    ],
    ['an unknown mode', { 'filter.mode': 'x' }, 'filter.mode: must be one of'],
    ['an unknown location', { 'filter.location': 'Archives' }, 'filter.location: must be empty'],
    ['a directory beyond 32 bits', { 'filter.location': '4294967297' }, 'filter.location: must be empty'],
    ['a limit of nothing', { 'filter.limit': 0 }, 'filter.limit: must be at least 1'],
  ])('400 names %s', async (_what, query, error) => {
    expect(await list(query)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('413 for a page whose contents would fill the memory; fewer at a time are listed', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.campaign} (id_user, author, name, parameters, html_content, created_at, updated_at)
      select 1, 'Ada', 'Huge', '{}', repeat('x', 2000000), now(), now() from generate_series(1, 33)`);
    const huge = { 'filter.name': 'Huge', 'filter.withContents': true };
    const all = await list(huge);
    expect(all).toMatchObject({ status: 413, error: expect.stringContaining('filter.limit: the contents') });
    const some = await list({ ...huge, 'filter.limit': 2 });
    expect(some).toMatchObject({ status: 200, data: { totalCount: 33, count: 2 } });
    const without = await list({ 'filter.name': 'Huge' });
    expect(without).toMatchObject({ status: 200, data: { totalCount: 33, count: 33 } });
  });

  it('200 without archived ones, which filter.isArchive lists', async () => {
    const id = await makeCampaign(t.db, { parameters: { name: 'Shelved' } });
    const archive = (isArchive: boolean) =>
      t.call('PUT', '/campaigns', { body: { id, parameters: { isArchive } } });
    const found = async (query: Record<string, boolean>): Promise<Page> =>
      (await list({ 'filter.name': 'Shelved', ...query })).data;
    expect((await archive(true)).status).toBe(200);
    expect(await found({})).toMatchObject({ totalCount: 0, items: [] });
    expect(await found({ 'filter.isArchive': true })).toMatchObject({ totalCount: 1, items: [{ id }] });
    expect((await t.call('GET', `/campaigns/${id}`)).status).toBe(200);
    expect((await archive(false)).status).toBe(200);
    expect(await found({})).toMatchObject({ totalCount: 1, items: [{ id }] });
    expect(await found({ 'filter.isArchive': true })).toMatchObject({ totalCount: 0, items: [] });
  });
});
