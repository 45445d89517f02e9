import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { ExportTester } from '../../testing/export-tester.ts';

describe('listExports', () => {
  let t: TestApp;
  let exporter: ExportTester;
  beforeAll(async () => {
    t = await testApp();
    exporter = new ExportTester(t);
  });
  afterAll(() => t.close());

  const list = async (query: object) =>
    (
      await t.call('GET', '/exports', {
        query: { 'filter.sortBy': 'Id', 'filter.order': 'DESC', ...query },
        as: 'reader',
      })
    ).data as {
      totalCount: number;
      count: number;
      start: number;
      items: { idExportJob: number; name: string }[];
    };
  const idsOf = async (query: object) => (await list(query)).items.map(({ idExportJob }) => idExportJob);

  it('200 by id, page by page, and those in a state', async () => {
    const first = await exporter.export();
    const [second, third] = [await exporter.create(), await exporter.create()];
    expect(await idsOf({})).toEqual([third, second, first.done.id]);
    expect(await idsOf({ 'filter.order': 'ASC', 'filter.start': 1, 'filter.limit': 1 })).toEqual([second]);
    expect(await list({ 'filter.limit': 1 })).toMatchObject({ totalCount: 3, count: 1, start: 0 });
    expect(await idsOf({ 'filter.state': 'SCHEDULED' })).toEqual([third, second]);
    expect(await idsOf({ 'filter.state': 'FAILED' })).toEqual([]);
  });

  it('200 finds by a part of the name that it shows, ignoring case and accents', async () => {
    const named = await exporter.create({ filename: ' Été.csv ', compress: 'GZip' });
    const packed = await exporter.create({ filename: 'hiver.csv.GZ', compress: 'GZip' });
    const own = await exporter.create({ filename: '', compress: 'Zip' });
    expect(await idsOf({ 'filter.name': 'ETE.csv.g' })).toEqual([named]);
    expect(await idsOf({ 'filter.name': '.gz' })).toEqual([packed, named]);
    expect(await idsOf({ 'filter.name': 'gz.gz' })).toEqual([]);
    const { items } = await list({ 'filter.name': `export_${t.db.site.name}_${own}_20` });
    expect(items).toMatchObject([{ idExportJob: own, name: expect.stringMatching(/\.zip$/) }]);
    // Each is found by the whole name that the list shows.
    for (const { idExportJob, name } of (await list({})).items)
      expect(await idsOf({ 'filter.name': name })).toContain(idExportJob);
    expect(
      await list({ 'filter.name': '.csv', 'filter.state': 'SCHEDULED', 'filter.limit': 1 }),
    ).toMatchObject({ totalCount: 5, count: 1 });
    expect(await idsOf({ 'filter.name': '%' })).toEqual([]);
  });

  it('200 shows each as getExportState does', async () => {
    const [newest] = (await list({})).items;
    const query = { idExport: newest!.idExportJob };
    expect(newest).toEqual((await t.call('GET', '/exports/state', { query })).data);
  });

  it('400 for an unknown state', async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.state': 'LOST' };
    expect((await t.call('GET', '/exports', { query })).status).toBe(400);
  });

  it('400 for a name that is too long', async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.name': 'x'.repeat(256) };
    expect((await t.call('GET', '/exports', { query })).error).toMatch(/^filter\.name: /);
  });
});
