import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type ImportListItem, type ImportParameters, noCounters, safeModeMessage } from '../import.ts';
import { listImports } from '../import-list-store.ts';
import { beginAttempt, endRun, findImport, insertImport } from '../import-store.ts';
import { importsOperations } from '../operations.ts';

describe('listImports', () => {
  let t: TestApp;
  const ids: Record<string, number> = {};
  const columnMapping = [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }];

  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
    const add = async (author: string, scheduled: string) => {
      const parameters = { filename: `${author}.csv`, columnMapping };
      const made = await insertImport(t.db, {
        idUser: 1,
        author,
        parameters,
        scheduledAt: new Date(scheduled),
        at: new Date(scheduled),
      });
      ids[author] = made.id;
      return made.id;
    };
    await add('old', '2026-11-05T09:59:59Z');
    await add('recent', '2026-11-05T10:00:00Z');
    const late = await add('Émile', '2026-10-01T00:00:00Z');
    await ended(late, 'Émile.csv', '2026-11-10T08:00:00.000Z', '2026-11-10T09:00:00.000Z');
    await ended(ids.old!, 'old.csv', '2026-11-05T09:59:59.000Z', '2026-11-05T09:59:59.500Z');
    await add('later', '2026-12-24T00:00:00Z');
    await t.db.run(
      sql`update ${t.db.t.import} set state = 'InProgress', progression = 42 where id = ${ids.recent}`,
    );
  });
  afterAll(() => t.close());

  async function ended(id: number, filename: string, startDate: string, endDate: string): Promise<void> {
    const begun = await beginAttempt(t.db, id, 1, new Date(startDate));
    const texts = { filename, startDate, endDate, errorMessage: null, badFormattedRowNumbers: '7' };
    const log = { ...noCounters(), ...texts, totalRows: 12 };
    await endRun(t.db, begun!.attempt, { state: 'Completed', log, fileRead: null }, new Date(endDate));
  }

  const list = async (query: Record<string, string | number>) => {
    const reply = await t.call('GET', '/imports', { query, as: 'reader' });
    const page: { totalCount: number; count: number; start: number; items: ImportListItem[] } = reply.data;
    return { ...reply, page, authors: page?.items.map(({ author }) => author) };
  };

  it('200 shows what is scheduled or has ended in the last 15 days', async () => {
    const { status, typeName, page, authors } = await list({ 'filter.sortBy': 'ID', 'filter.order': 'ASC' });
    expect({ status, typeName, authors }).toEqual({
      status: 200,
      typeName: 'Paged<ImportListItem>',
      authors: ['recent', 'Émile', 'later'],
    });
    expect(page).toMatchObject({ totalCount: 3, count: 3, start: 0 });
    expect(page.items[1]).toEqual({
      ...{ ...noCounters(), nbUnchanged: 0 },
      id: ids.Émile,
      filename: 'Émile.csv',
      author: 'Émile',
      scheduledDate: '2026-10-01T00:00:00.000Z',
      idImportState: 3,
      importState: 'Completed',
      progression: '100 %',
      startDate: '2026-11-10T08:00:00.000Z',
      endDate: '2026-11-10T09:00:00.000Z',
      totalRows: 12,
    });
    expect(page.items[0]).toMatchObject({
      idImportState: 2,
      progression: '42 %',
      startDate: null,
      totalRows: 0,
    });
  });

  it('200 counts what a run has written so far', async () => {
    const startDate = '2026-11-20T10:00:00.000Z';
    const run = async (started: string | null, idImport: number | null) => {
      await t.db.run(sql`update ${t.db.t.import} set started_at = ${started} where id = ${ids.recent}`);
      await t.db.run(
        sql`update ${t.db.t.merge_state}
            set id_import = ${idImport}, nb_updates = 3, nb_inserts = 4, nb_unchanged = 5`,
      );
      return (await list({ 'filter.sortBy': 'ID', 'filter.order': 'ASC' })).page.items[0];
    };
    const none = { nbUpdates: 0, nbInserts: 0, nbUnchanged: 0 };
    expect(await run(startDate, ids.later!)).toMatchObject({ startDate, ...none });
    expect(await run(startDate, ids.recent!)).toMatchObject({
      ...{ startDate, nbUpdates: 3, nbInserts: 4, nbUnchanged: 5 },
    });
    expect(await run(null, null)).toMatchObject({ startDate: null, ...none });
  });

  it('200 counts nobody as unchanged by a run that safe mode kept from changing anything', async () => {
    const unchanged = async (log: object) => {
      await t.db.run(sql`
        update ${t.db.t.import_log} set log = log || ${JSON.stringify(log)}::jsonb where id_import = ${ids.Émile}`);
      return (await list({ 'filter.sortBy': 'ID', 'filter.order': 'ASC' })).page.items[1]?.nbUnchanged;
    };
    expect(await unchanged({ totalUpdates: 5, nbUpdates: 2 })).toBe(3);
    expect(await unchanged({ errorMessage: `${safeModeMessage}. More` })).toBe(0);
    expect(await unchanged({ totalUpdates: 0, nbUpdates: 0, errorMessage: null })).toBe(0);
  });

  it.each([
    ['ID', 'DESC', ['later', 'Émile', 'recent']],
    ['IdImportState', 'ASC', ['later', 'recent', 'Émile']],
    ['ImportState', 'ASC', ['Émile', 'recent', 'later']],
    ['Author', 'ASC', ['Émile', 'later', 'recent']],
    ['Author', 'DESC', ['recent', 'later', 'Émile']],
  ])('200 sorts by %s %s', async (sortBy, order, expected) => {
    expect((await list({ 'filter.sortBy': sortBy, 'filter.order': order })).authors).toEqual(expected);
  });

  it('200 pages; the total stays the same behind the end', async () => {
    const by = { 'filter.sortBy': 'ID', 'filter.order': 'ASC' };
    const { page, authors } = await list({ ...by, 'filter.start': 1, 'filter.limit': 1 });
    expect({ authors, count: page.count, start: page.start, total: page.totalCount }).toEqual({
      authors: ['Émile'],
      count: 1,
      start: 1,
      total: 3,
    });
    expect((await list({ ...by, 'filter.start': 10 })).page).toMatchObject({ totalCount: 3, count: 0 });
  });

  it('200 puts those of one author in the order of their ids, in either direction', async () => {
    await t.db.run(sql`update ${t.db.t.import} set author = 'Zoé' where id <> ${ids.Émile}`);
    const by = async (order: string) =>
      (await list({ 'filter.sortBy': 'Author', 'filter.order': order })).page.items.map(({ id }) => id);
    expect(await by('ASC')).toEqual([ids.Émile, ids.recent, ids.later]);
    expect(await by('DESC')).toEqual([ids.later, ids.recent, ids.Émile]);
  });

  it('400 for an unknown state, or a name that is too long', async () => {
    const by = { 'filter.sortBy': 'ID', 'filter.order': 'ASC' };
    expect((await list({ ...by, 'filter.state': 'Lost' })).status).toBe(400);
    expect((await list({ ...by, 'filter.name': 'x'.repeat(256) })).status).toBe(400);
  });

  it('400 without sorting, or by an unknown one', async () => {
    expect((await list({})).status).toBe(400);
    expect((await list({ 'filter.sortBy': 'id; drop table import', 'filter.order': 'ASC' })).status).toBe(
      400,
    );
  });

  it('200 reads the parameters of no import, which can be megabytes', async () => {
    const toasted = (work: (tx: SiteDb) => Promise<unknown>): Promise<number> =>
      t.db.transaction(async (tx) => {
        const count = async () =>
          (
            await tx.one<{ n: number }>(sql`
              select coalesce(sum(s.idx_scan), 0)::int as n from pg_stat_xact_all_tables s
              join pg_class c on c.reltoastrelid = s.relid
              where c.oid = ${`${tx.site.schema}.import`}::regclass`)
          ).n;
        const before = await count();
        await work(tx);
        return (await count()) - before;
      });
    // Too long for its row, and not to be packed: it is in a table of its own.
    const { parameters } = await t.db.one<{ parameters: ImportParameters }>(sql`
      update ${t.db.t.import} set parameters = jsonb_set(parameters, '{columnMapping,0,fixedValue}',
        to_jsonb((select string_agg(md5(n::text), '') from generate_series(1, 300) n)))
      where id = ${ids.later} returning parameters`);
    expect(parameters.columnMapping[0]?.fixedValue).toHaveLength(9_600);
    expect(await toasted((tx) => findImport(tx, ids.later!))).toBeGreaterThan(0);
    const page = { sortBy: 'ID', order: 'ASC', start: 0, limit: 1_000 } as const;
    const lately = new Date('2026-11-05T10:00:00Z');
    expect((await listImports(t.db, lately, page)).items.map((one) => one.filename)).toContain('later.csv');
    expect(await toasted((tx) => listImports(tx, lately, page))).toBe(0);
  });

  it('200 finds by a part of the name that it shows, and by state', async () => {
    const by = { 'filter.sortBy': 'ID', 'filter.order': 'ASC' };
    const named = async (name: string, more = {}) =>
      (await list({ ...by, 'filter.name': name, ...more })).page.items.map(({ filename }) => filename);
    expect(await named(' EMI ')).toEqual(['Émile.csv']);
    expect(await named('.csv', { 'filter.limit': 1 })).toEqual(['recent.csv']);
    expect(await named('.csv', { 'filter.state': 'InProgress' })).toEqual(['recent.csv']);
    expect(await named('')).toHaveLength(3);
    expect(await named('%')).toEqual([]);
    expect((await list({ ...by, 'filter.state': 'Completed' })).page).toMatchObject({
      totalCount: 1,
      items: [{ filename: 'Émile.csv' }],
    });
    // A recurring one is found by the name of its next run, which has the date in Paris.
    await t.db.run(sql`
      update ${t.db.t.import} set scheduled_at = '2026-12-31T23:05:00Z',
        scheduling = '{"isRecurring":true,"recurringInfos":{"filenameTemplate":"{yyyy}{MM}{dd}_{HH}{mm}.csv"}}'
      where id = ${ids.later}`);
    expect(await named('20270101_0005')).toEqual(['20270101_0005.csv']);
    expect(await named('later')).toEqual([]);
  });
});
