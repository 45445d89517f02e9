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
    ).data as { totalCount: number; count: number; start: number; items: { idExportJob: number }[] };
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

  it('200 shows each as getExportState does', async () => {
    const [newest] = (await list({})).items;
    const query = { idExport: newest!.idExportJob };
    expect(newest).toEqual((await t.call('GET', '/exports/state', { query })).data);
  });

  it('400 for an unknown state', async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.state': 'LOST' };
    expect((await t.call('GET', '/exports', { query })).status).toBe(400);
  });
});
