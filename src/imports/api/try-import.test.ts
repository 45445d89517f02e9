import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { setDefaultRepository } from '../../files/repository-store.ts';
import { raw, sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { digestSite } from '../../testing/foreign-records.ts';
import { freePort } from '../../testing/free-port.ts';
import { Hold } from '../../testing/hold.ts';
import { ImportHolds } from '../../testing/import-holds.ts';
import { base, column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { type DryRun, dryRun } from '../dry-run.ts';
import type { ImportParameters } from '../import.ts';
import { importSettings } from '../import-settings.ts';

describe('tryImport', () => {
  let t: TestApp;
  let tester: ImportTester;
  beforeAll(async () => {
    ({ t, tester } = await importApp());
  });
  afterAll(() => t.close());
  afterEach(() => tester.clear());

  const attempt = (parameters: Partial<ImportParameters> = {}) =>
    t.call('POST', '/imports/dry-run', { as: 'editor', body: { parameters: { ...base, ...parameters } } });
  const tried = async (content: string, parameters: Partial<ImportParameters> = {}): Promise<DryRun> => {
    tester.put(content);
    const { error, data } = await attempt(parameters);
    expect(error).toBeNull();
    return data;
  };
  const withStatus = {
    keepFld7: false,
    columnMapping: [column(1, 'email'), column(7, 'status'), column(101, 'name')],
  };

  it('200 says what would be added, changed, left, repeated, rejected and cleared', async () => {
    await tester.add('ada@example.com', 'Ada');
    await tester.add('bob@example.com', 'Bob');
    await tester.add('cy@example.com', null, { status: 1 });
    const rows = ['Ada@example.com;Ada', 'bob@example.com;', 'cy@example.com;Cy', 'new@example.com;x'];
    const more = ['new@example.com;y', 'bad;z', 'a@example.com;b;c'];
    expect(await tried(`email;name\n${[...rows, ...more].join('\n')}\n`)).toEqual({
      ...{ totalRows: 7, totalDuplicateKeys: 1, nbValidations: 5, nbErrorRows: 1, nbBadFormattedRows: 1 },
      ...{ totalUpdates: 3, nbUpdates: 2, totalInserts: 1, nbInserts: 1, nbForbiddenInserts: 0 },
      ...{ nbUnchanged: 1, isHeldBySafeMode: false, nbClearedValues: 1 },
      ...{ nbKeptUnsubscribed: 1, nbResubscribed: 0, nbUnsubscribed: 0 },
      newRows: [{ row: 6, cells: ['new@example.com', 'y'] }],
      changedRows: [
        { row: 3, cells: ['bob@example.com', ''] },
        { row: 4, cells: ['cy@example.com', 'Cy'] },
      ],
      unchangedRows: [{ row: 2, cells: ['Ada@example.com', 'Ada'] }],
      repeatedRows: [{ row: 5, cells: ['new@example.com', 'x'] }],
      rejectedRows: [
        { row: 7, reason: 'column email, Field 1 (Email): not an email address', cells: ['bad', 'z'] },
        { row: 8, reason: 'has 3 columns instead of 2', cells: ['a@example.com', 'b', 'c'] },
      ],
    });
  });

  it('200 says who would be subscribed again, and who unsubscribed', async () => {
    for (const [name, status] of [
      ['ada', 1],
      ['bob', 0],
      ['cy', 1],
    ] as const)
      await tester.add(`${name}@example.com`, 'x', { status });
    const content = 'email;status;name\nada@example.com;0;x\nbob@example.com;1;x\ncy@example.com;1;x\n';
    expect(await tried(content, withStatus)).toMatchObject({
      ...{ nbUpdates: 2, nbUnchanged: 1, nbResubscribed: 1, nbUnsubscribed: 1, nbKeptUnsubscribed: 1 },
    });
    expect(await tried(content, { keepFld7: false })).toMatchObject({ nbResubscribed: 2, nbUnsubscribed: 0 });
    expect(await tried(content)).toMatchObject({ nbUpdates: 0, nbResubscribed: 0, nbKeptUnsubscribed: 2 });
  });

  it('200 says that safe mode would prevent all changes', async () => {
    await tester.add('ada@example.com', 'Ada');
    const content = 'email;name\nada@example.com;\nnew@example.com;x\nbad;y\n';
    expect(await tried(content, { safeMode: true })).toMatchObject({
      ...{ isHeldBySafeMode: true, totalUpdates: 1, nbUpdates: 0, totalInserts: 1, nbInserts: 0 },
      nbClearedValues: 1,
      ...{ newRows: [], changedRows: [], unchangedRows: [] },
    });
    expect(await tried(content, { insertEnabled: false })).toMatchObject({
      ...{ nbForbiddenInserts: 1, newRows: [], changedRows: [{ row: 2 }] },
    });
  });

  it('200 shows the first 20 rows of each figure, wherever they are in the file, with cut cells', async () => {
    const emails = (prefix: string) => Array.from({ length: 25 }, (_, i) => `${prefix}${i}@example.com`);
    for (const email of [...emails('same'), ...emails('other')]) await tester.add(email, 'x');
    const lines = [...emails('twice'), ...emails('new'), ...emails('other')].map((email) => `${email};y`);
    const same = emails('same').map((email) => `${email};x`);
    const again = emails('twice').map((email) => `${email};${'z'.repeat(600)}`);
    const run = await tried(`email;name\n${[...lines, ...same, ...again].join('\n')}\n`, {
      columnMapping: [column(1, 'email')],
    });
    const rowsOf = (rows: DryRun['newRows']) => rows.map(({ row }) => row);
    const from = (row: number) => Array.from({ length: 20 }, (_, i) => row + i);
    expect(rowsOf(run.repeatedRows)).toEqual(from(2));
    expect(rowsOf(run.newRows)).toEqual(from(27));
    expect(run).toMatchObject({ nbInserts: 50, nbUnchanged: 50, nbUpdates: 0, changedRows: [] });
    expect(rowsOf(run.unchangedRows)).toEqual(from(52));
    const named = await tried(`email;name\n${[...same, ...again].join('\n')}\n`, {
      columnMapping: [column(1, 'email')],
    });
    expect(rowsOf(named.newRows)).toEqual(from(27));
    expect(named.newRows[0]?.cells).toEqual(['twice0@example.com', 'z'.repeat(500)]);
    expect(rowsOf(named.unchangedRows)).toEqual(from(2));
  });

  it('200 shows the first 20 rejected rows of the file, whatever rejects them, with cut cells', async () => {
    await tester.add('taken@example.com', null, { client: 7 });
    const rows = Array.from({ length: 30 }, (_, i) => (i % 2 ? `bad;${i}` : `u${i}@example.com;7`));
    const { rejectedRows, nbErrorRows } = await tried(
      `email;client\n${rows.join('\n')}\n${'x'.repeat(2_000)};1\n`,
      { columnMapping: [column(1, 'email'), column(43, 'client')] },
    );
    expect(nbErrorRows).toBe(31);
    expect(rejectedRows.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    expect(rejectedRows[0]).toEqual({
      row: 2,
      reason: 'the client identifier belongs to subscriber 1',
      cells: ['u0@example.com', '7'],
    });
    const [long] = (await tried(`email;name\n${'x'.repeat(2_000)};1\n`)).rejectedRows;
    expect(long!.cells).toEqual(['x'.repeat(500), '1']);
  });

  it('200 changes nothing: no row, no number, no file, no table', async () => {
    await tester.add('ada@example.com', 'Ada', { status: 1, client: 7 });
    tester.put('email;client;name\nada@example.com;7;\nnew@example.com;7;x\nbad;1;y\n');
    const before = await digestSite(t.db);
    const files = readdirSync(tester.folder);
    const parameters = {
      ...{ keepFld7: false, deleteFile: true, emailNotification: 'ada@example.com' },
      columnMapping: [column(1, 'email'), column(43, 'client'), column(101, 'name')],
    };
    for (let i = 0; i < 2; i++) expect((await attempt(parameters)).status).toBe(200);
    expect(await digestSite(t.db)).toEqual(before);
    expect(readdirSync(tester.folder)).toEqual(files);
    expect(existsSync(join(t.dataDir, 'tmp')) ? readdirSync(join(t.dataDir, 'tmp')) : []).toEqual([]);
    const left = await t.db.rows(sql`select from pg_class where relpersistence = 't' or relname ~ '_stage$'`);
    expect(left).toEqual([]);
    const jobs = await t.db.rows(sql`select from graphile_worker._private_jobs`);
    expect(jobs).toEqual([]);
  });

  it('200 waits for no writer, so none waits for it', async () => {
    await tester.add('ada@example.com', 'Ada');
    tester.put('email;name\nada@example.com;x\n');
    const { schema } = t.db.site;
    // Conflicts with every lock of the table except that of a reader; and the turn of imports.
    const writers = await Hold.of(t.connection, `lock table ${schema}.subscriber in exclusive mode`);
    const merge = await Hold.of(
      t.connection,
      `select pg_advisory_xact_lock(hashtextextended('merge ${schema}', 0))`,
    );
    expect(await attempt()).toMatchObject({ status: 200, data: { nbUpdates: 1 } });
    await writers.letGo();
    await merge.letGo();
  });

  it('200 finds rows that only PostgreSQL rejects while they are copied, as the import does', async () => {
    const { schema } = t.db.site;
    for (const statement of [
      `create function ${schema}.odd_stage() returns event_trigger language plpgsql as $$
       declare made record;
       begin
         for made in select * from pg_event_trigger_ddl_commands() where object_identity ~ '_stage$' loop
           execute format('alter table %s add check (fld101 <> ''odd'')', made.object_identity);
         end loop;
       end $$`,
      `create event trigger odd_stage on ddl_command_end when tag in ('CREATE TABLE')
         execute function ${schema}.odd_stage()`,
    ])
      await t.db.run(sql`${raw(statement)}`);
    const foreseen = await tried('email;name\na@example.com;x\nb@example.com;odd\nc@example.com;y\n');
    await t.db.run(sql`drop event trigger odd_stage`);
    expect(foreseen).toMatchObject({
      ...{ nbInserts: 2, nbErrorRows: 1 },
      rejectedRows: [{ row: 3, reason: expect.stringContaining('PostgreSQL does not take its values') }],
    });
  });

  it('400 for parameters that no import takes', async () => {
    expect(await attempt({ filename: '../people.csv' })).toMatchObject({ status: 400 });
    expect(await attempt({ columnMapping: [column(101, 'name')] })).toMatchObject({
      status: 400,
      error: expect.stringContaining('must be mapped to a column'),
    });
    expect(await attempt({ columnMapping: [column(1, 'email'), column(103, 'name', 'x')] })).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^parameters.columnMapping: /),
    });
  });

  it.each([
    ['that does not exist', undefined, 'does not exist'],
    ['without a mapped column', 'email;town\n', 'has no column name'],
    ['without anything', '', 'The file is empty'],
    ['that is no table', '%PDF-1.7', 'PDF'],
  ])('422 for a file %s', async (_, content, why) => {
    if (content !== undefined) tester.put(content);
    expect(await attempt()).toMatchObject({ status: 422, error: expect.stringContaining(why) });
  });

  it('422 for more rows than a dry run reads', async () => {
    tester.put('email;name\na@example.com;x\nb@example.com;x\nc@example.com;x\n');
    const of = { settings: importSettings(base), at: t.clock.now(), client: new AbortController().signal };
    const limit = (rows: number) => dryRun(t.app, t.db, of, AbortSignal.timeout(30_000), rows);
    await expect(limit(2)).rejects.toMatchObject({
      status: 422,
      message: 'parameters.filename: a dry run reads at most 2 rows; try a part of the file',
    });
    expect(await limit(3)).toMatchObject({ totalRows: 3 });
  });

  it('422 when it takes too long, 429 while another one runs; both end without a trace', async () => {
    tester.put('email;name\na@example.com;x\n');
    const hold = await (await ImportHolds.install(t)).staging();
    const [time, client] = [new AbortController(), new AbortController()];
    const of = { settings: importSettings(base), at: t.clock.now(), client: client.signal };
    const held = dryRun(t.app, t.db, of, time.signal);
    await hold.reached();
    expect(await attempt()).toMatchObject({
      status: 429,
      error: 'Another dry run of this site is running; try again in a moment',
    });
    time.abort();
    await expect(held).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('the dry run takes longer than 30 s'),
    });
    const left = dryRun(t.app, t.db, of, new AbortController().signal);
    await hold.reached();
    client.abort(new Error('The client disconnected'));
    await expect(left).rejects.toThrow('The client disconnected');
    await hold.letGo();
    expect(await attempt()).toMatchObject({ status: 200 });
    await t.db.run(sql`drop event trigger hold_stage`);
  });

  describe('the second reading, for cells', () => {
    afterEach(() => vi.restoreAllMocks());
    const counted = { nbInserts: 2, newRows: [2, 3].map((row) => ({ row, cells: null })) };
    const dry = (client: AbortSignal, time: AbortSignal) =>
      dryRun(t.app, t.db, { settings: importSettings(base), at: t.clock.now(), client }, time);
    /** Does something when the count is finished: the limit of the second reading is made then. */
    const onceCounted = (act: () => void) => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        if (ms === 5_000) act();
        return timeout(ms);
      });
    };
    const never = new AbortController().signal;

    it('has the time that remains, and ends with it', async () => {
      tester.put('email;name\na@example.com;x\nb@example.com;x\n');
      const time = new AbortController();
      onceCounted(() => time.abort());
      expect(await dry(never, time.signal)).toMatchObject(counted);
    });

    it('loses no count when the file changes or is removed', async () => {
      for (const change of [() => tester.put('email\n'), () => rmSync(join(tester.folder, 'people.csv'))]) {
        tester.put('email;name\na@example.com;x\nb@example.com;x\n');
        onceCounted(change);
        expect(await dry(never, never)).toMatchObject(counted);
        vi.restoreAllMocks();
      }
    });

    it('ends when the client disconnects', async () => {
      tester.put('email;name\na@example.com;x\nb@example.com;x\n');
      const client = new AbortController();
      onceCounted(() => client.abort(new Error('The client disconnected')));
      await expect(dry(client.signal, never)).rejects.toThrow('The client disconnected');
    });
  });

  it('503 when the server of the files is unavailable', async () => {
    const port = await freePort();
    await setDefaultRepository(t.db, await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port }));
    expect((await attempt()).status).toBe(503);
    await setDefaultRepository(t.db, 0);
  });

  const people = fc.uniqueArray(
    fc.record({
      email: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com'),
      name: fc.constantFrom(null, 'X', 'Y'),
      status: fc.constantFrom(0, 1),
    }),
    { selector: ({ email }) => email },
  );
  const line = fc.tuple(
    fc.constantFrom('a@example.com', 'B@example.com', 'c@example.com', 'd@example.com', 'bad'),
    fc.constantFrom('0', '1', 'x'),
    fc.constantFrom('X', 'Y', ''),
  );
  const statusOf = async () =>
    t.db.rows<{ email: string; name: string | null; status: number }>(
      sql`select fld1 as email, fld101 as name, fld7 as status from ${t.db.t.subscriber} order by fld0`,
    );

  it('foresees the statuses and cleared values of any import', async () => {
    const file = fc.record({
      keepFld7: fc.boolean(),
      hasStatus: fc.boolean(),
      hasTime: fc.boolean(),
      rows: fc.array(line, { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(people, file, async (before, { keepFld7, hasStatus, hasTime, rows }) => {
        await tester.clear();
        for (const { email, name, status } of before) await tester.add(email, name, { status });
        const content = ['email;status;name', ...rows.map((row) => row.join(';'))].join('\n');
        const columnMapping = [
          ...[column(1, 'email'), column(101, 'name')],
          ...(hasStatus ? [column(7, 'status')] : []),
          ...(hasTime ? [{ dbFieldName: 'fld103', idMappingMode: 4 }] : []),
        ];
        const foreseen = await tried(`${content}\n`, { keepFld7, columnMapping });
        const log = await tester.import(`${content}\n`, { keepFld7, columnMapping });
        expect(foreseen).toMatchObject({
          ...{ nbUpdates: log.nbUpdates, nbInserts: log.nbInserts, totalUpdates: log.totalUpdates },
          ...{ nbErrorRows: log.nbErrorRows, totalDuplicateKeys: log.totalDuplicateKeys },
        });
        const after = (await statusOf()).slice(0, before.length);
        const changed = (from: number, to: number) =>
          before.filter(({ status }, i) => status === from && after[i]!.status === to).length;
        expect(foreseen).toMatchObject({
          nbUnchanged: log.totalUpdates - log.nbUpdates,
          nbResubscribed: changed(1, 0),
          nbUnsubscribed: changed(0, 1),
          nbClearedValues: before.filter(({ name }, i) => name !== null && after[i]!.name === null).length,
        });
        const isFound = ({ email }: { email: string }) =>
          rows.some(([one, status]) => one.toLowerCase() === email && !(hasStatus && status === 'x'));
        const kept = before.filter((one, i) => one.status === 1 && after[i]!.status === 1 && isFound(one));
        expect(foreseen.nbKeptUnsubscribed).toBe(kept.length);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
