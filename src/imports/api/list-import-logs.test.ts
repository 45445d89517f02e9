import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { noCounters } from '../import.ts';
import { beginAttempt, endRun, insertImport } from '../import-store.ts';
import { importsOperations } from '../operations.ts';

describe('listImportLogs', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
    const at = t.clock.now();
    const parameters = { filename: 'people.csv', columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1 }] };
    const scheduling = {
      isRecurring: true,
      recurringInfos: { frequencyUnits: 'Day' as const, time: '02:30:00', startDate: at.toISOString() },
    };
    const scheduledAt = new Date('2026-11-21T01:30:00Z');
    ({ id } = await insertImport(t.db, {
      idUser: 1,
      author: 'Ada',
      parameters,
      scheduling,
      scheduledAt,
      at,
    }));
    for (const [run, errorMessage] of [
      [1, null],
      [2, 'The file people.csv does not exist'],
      [3, null],
    ] as const) {
      const ran = new Date(`2026-11-2${run}T01:30:00Z`);
      const begun = await beginAttempt(t.db, id, run, ran);
      const dates = { startDate: ran.toISOString(), endDate: ran.toISOString() };
      const log = {
        ...noCounters(),
        ...dates,
        filename: `${run}.csv`,
        errorMessage,
        badFormattedRowNumbers: '',
      };
      const state = errorMessage ? 'PackageErrorCreation' : 'Completed';
      await endRun(t.db, begun!.attempt, { state, log, fileRead: null }, ran);
    }
  });
  afterAll(() => t.close());
  const list = (query: Record<string, number> = {}) =>
    t.call('GET', `/imports/${id}/logs`, { query, as: 'reader' });

  it('200 shows the last run first, and the import shows that one', async () => {
    const { status, typeName, data } = await list();
    expect({ status, typeName }).toEqual({ status: 200, typeName: 'Paged<ImportLog>' });
    const page = data as { totalCount: number; count: number; items: { id: number }[] };
    expect(page).toMatchObject({
      totalCount: 3,
      count: 3,
      items: [
        { filename: '3.csv', errorMessage: null },
        { filename: '2.csv', errorMessage: 'The file people.csv does not exist' },
        { filename: '1.csv', startDate: '2026-11-21T01:30:00.000Z' },
      ],
    });
    expect(new Set(page.items.map((log) => log.id)).size).toBe(3);
    const shown = (await t.call('GET', `/imports/${id}`)).data as {
      lastImportLog: object;
      importState: string;
    };
    expect(shown.lastImportLog).toEqual(page.items[0]);
    expect(shown.importState).toBe('Scheduled');
  });

  it('200 pages', async () => {
    const { data } = await list({ 'filter.start': 1, 'filter.limit': 1 });
    expect(data).toMatchObject({ totalCount: 3, count: 1, start: 1, items: [{ filename: '2.csv' }] });
  });

  it.each<Record<string, number>>([
    { 'filter.limit': 1001 },
    { 'filter.limit': 0 },
    { 'filter.start': -1 },
    { 'filter.sortBy': 1 },
  ])('400 for the page %o', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it('404 for an unknown import', async () => {
    expect((await t.call('GET', '/imports/999999/logs')).error).toBe('Import not found');
  });
});
