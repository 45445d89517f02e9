import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import type { Import, ImportLog, ImportParameters } from '../import.ts';
import { findImport, insertImport } from '../import-store.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
  await addCustomFields(t.db);
});
afterAll(() => t.close());
afterEach(async () => {
  await t.db.run(sql`truncate ${t.db.t.subscriber} restart identity`);
  rmSync(folder(), { recursive: true, force: true });
});

const folder = () => siteFolderPath(t.dataDir, t.db.site.id);
const column = (id: number, name: string, format?: string) => ({
  dbFieldName: `fld${id}`,
  idMappingMode: 1,
  fileColumnName: name,
  ...(format && { format }),
});
const base = {
  filename: 'people.csv',
  codepage: 65001,
  columnMapping: [column(1, 'email'), column(101, 'name')],
};

function put(content: string | Buffer, name = 'people.csv'): void {
  const path = join(folder(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

async function make(parameters: Partial<ImportParameters>): Promise<Import> {
  const at = t.clock.now();
  return insertImport(t.db, {
    idUser: 1,
    author: 'Ada',
    parameters: { ...base, ...parameters },
    scheduledAt: at,
    at,
  });
}

async function run(id: number): Promise<Import> {
  await runImport.run(t.app, { idSite: t.db.site.id, idImport: id }, new AbortController().signal);
  return (await findImport(t.db, id))!;
}

/** Imports a text; the log. */
async function importText(
  content: string | Buffer,
  parameters: Partial<ImportParameters> = {},
): Promise<ImportLog> {
  put(content, parameters.filename);
  const done = await run((await make(parameters)).id);
  expect(done.importState).toBe('Completed');
  const log = done.lastImportLog!;
  expect(log.totalRows).toBe(log.nbValidations + log.nbErrorRows + log.nbBadFormattedRows);
  expect(log.nbValidations).toBe(log.totalDuplicateKeys + log.totalUpdates + log.totalInserts);
  return log;
}

async function cannotStart(
  content: string | Buffer | undefined,
  parameters: Partial<ImportParameters> = {},
): Promise<string> {
  if (content !== undefined) put(content, parameters.filename);
  const done = await run((await make(parameters)).id);
  expect(done.importState).toBe('PackageErrorCreation');
  expect(await people()).toEqual([]);
  return done.lastImportLog!.errorMessage!;
}

const errorFile = (name = 'people.csv') => readFileSync(join(folder(), `${name}.errors.csv`), 'utf8');
const people = (columns = sql`fld0 as id, fld1 as email, fld101 as name`) =>
  t.db.rows(sql`select ${columns} from ${t.db.t.subscriber} order by fld0`);
async function add(
  email: string,
  name: string | null = null,
  rest: { status?: number; client?: number } = {},
) {
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld1, fld101, fld7, fld43, fld2, fld3)
    values (${email}, ${name}, ${rest.status ?? 0}, ${rest.client ?? null}, '2020-01-01', '2020-01-01')`);
}

describe('rows', () => {
  test('new ones are inserted, known ones updated only where they differ', async () => {
    await add('ada@example.com', 'Ada');
    await add('bob@example.com', 'Bob');
    const log = await importText(
      'email;name\nADA@example.com;Ada\nbob@EXAMPLE.com;Robert\nnew@example.com;New\n',
    );
    expect(log).toMatchObject({ totalRows: 3, totalUpdates: 2, nbUpdates: 1, totalInserts: 1, nbInserts: 1 });
    expect(await people()).toEqual([
      { id: 1, email: 'ada@example.com', name: 'Ada' },
      { id: 2, email: 'bob@example.com', name: 'Robert' },
      { id: 3, email: 'new@example.com', name: 'New' },
    ]);
    expect(existsSync(join(folder(), 'people.csv.errors.csv'))).toBe(false);
  });

  test('new subscribers get status 0, both dates and their domain', async () => {
    await importText('email;name\nnew@bücher.example;N\n');
    expect(await people(sql`fld1, fld2, fld3, fld4, fld7, fld37, fld44`)).toEqual([
      {
        fld1: 'new@xn--bcher-kva.example',
        fld2: t.clock.now(),
        fld3: t.clock.now(),
        fld4: null,
        fld7: 0,
        fld37: 'xn--bcher-kva.example',
        fld44: 0,
      },
    ]);
  });

  test('of a key that comes twice the last row wins', async () => {
    const log = await importText(
      'email;name\na@example.com;1\nb@example.com;2\nA@example.com;3\na@example.com;4\n',
    );
    expect(log).toMatchObject({ totalDuplicateKeys: 2, nbInserts: 2 });
    expect((await people()).map(({ name }) => name)).toEqual(['4', '2']);
  });

  test('bad ones are counted, listed, and written beside the file with their reasons', async () => {
    const log = await importText(
      'email;name\nok@example.com;é\nno address;x\n;y\na@example.com\nb@example.com;"z\nc@example.com;n\0n\nd@example.com;"a" b\n',
      {},
    );
    expect(log).toMatchObject({
      totalRows: 7,
      nbErrorRows: 2,
      nbBadFormattedRows: 4,
      nbInserts: 1,
      badFormattedRowNumbers: '3,4,5,6,7,8',
    });
    expect(errorFile().split('\r\n')).toEqual([
      '\ufeffrow;reason;email;name',
      '3;Field 1 (Email): not an email address;no address;x',
      '4;Field 1 (Email): is empty;;y',
      '5;has 1 columns instead of 2;a@example.com',
      '6;the text qualifier is not closed;b@example.com;"""z"',
      '7;holds a NUL character;c@example.com;n\0n',
      '8;text follows the closing text qualifier;d@example.com;a',
      '',
    ]);
  });

  test('the error file can be mended and imported again as it is', async () => {
    await importText('email;name\nnobody;Éa\n');
    put(errorFile().replace('nobody', 'now@example.com'), 'again.csv');
    expect(
      (await importText(readFileSync(join(folder(), 'again.csv')), { filename: 'again.csv', codepage: 1252 }))
        .nbInserts,
    ).toBe(1);
    expect(await people()).toMatchObject([{ name: 'Éa' }]);
  });

  test('safeMode changes nothing when one row is bad', async () => {
    await add('ada@example.com', 'Ada');
    const log = await importText('email;name\nada@example.com;Changed\nnew@example.com;N\nbad;x\n', {
      safeMode: true,
    });
    expect(log).toMatchObject({
      nbErrorRows: 1,
      nbUpdates: 0,
      nbInserts: 0,
      errorMessage: expect.stringContaining('Safe mode'),
    });
    expect(await people()).toEqual([{ id: 1, email: 'ada@example.com', name: 'Ada' }]);
    const clean = await importText('email;name\nada@example.com;Changed\n', { safeMode: true });
    expect(clean).toMatchObject({ nbUpdates: 1, errorMessage: null });
  });

  test('insertEnabled false only updates', async () => {
    await add('ada@example.com', 'Ada');
    const log = await importText('email;name\nada@example.com;A\nnew@example.com;N\n', {
      insertEnabled: false,
    });
    expect(log).toMatchObject({ nbUpdates: 1, totalInserts: 1, nbInserts: 0, nbForbiddenInserts: 1 });
    expect(await people()).toHaveLength(1);
  });

  test('are invisible until all of them are there', async () => {
    put(`email;name\n${Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com;x`).join('\n')}\n`);
    const { id } = await make({});
    const seen = new Set<number>();
    let isDone = false;
    const watch = (async () => {
      while (!isDone)
        seen.add((await t.db.one<{ nb: number }>(sql`select count(*) as nb from ${t.db.t.subscriber}`)).nb);
    })();
    await run(id);
    isDone = true;
    await watch;
    expect([...seen].filter((nb) => nb !== 0 && nb !== 3_000)).toEqual([]);
  });
});

describe('status', () => {
  const status = sql`fld1 as email, fld7 as status, fld3 as since, fld4 as left`;
  const text = 'email;name;status\nin@example.com;a;1\nout@example.com;b;0\nnew@example.com;c;1\n';
  const old = new Date('2019-12-31T23:00:00Z');
  const seed = async () => {
    await add('in@example.com', 'a');
    await add('out@example.com', 'b', { status: 1 });
    const stored = await t.db.one<{ since: Date }>(
      sql`select fld3 as since from ${t.db.t.subscriber} limit 1`,
    );
    return stored.since ?? old;
  };

  test('keepFld7 leaves everybody as they are; new ones take what the file says', async () => {
    const since = await seed();
    const mapped = [...base.columnMapping, column(7, 'status')];
    await importText(text, { keepFld7: true, columnMapping: mapped });
    expect(await people(status)).toEqual([
      { email: 'in@example.com', status: 0, since, left: null },
      { email: 'out@example.com', status: 1, since, left: null },
      { email: 'new@example.com', status: 1, since: t.clock.now(), left: t.clock.now() },
    ]);
  });

  test('without it, rows that bring no status subscribe again who had left', async () => {
    const since = await seed();
    const log = await importText(text, { keepFld7: false });
    expect(log).toMatchObject({ totalUpdates: 2, nbUpdates: 1 });
    expect(await people(status)).toEqual([
      { email: 'in@example.com', status: 0, since, left: null },
      { email: 'out@example.com', status: 0, since: t.clock.now(), left: null },
      { email: 'new@example.com', status: 0, since: t.clock.now(), left: null },
    ]);
  });

  test('without it, a status in the file is written, with the date that belongs to it', async () => {
    const since = await seed();
    await importText(text, { keepFld7: false, columnMapping: [...base.columnMapping, column(7, 'status')] });
    expect(await people(status)).toMatchObject([
      { email: 'in@example.com', status: 1, since, left: t.clock.now() },
      { email: 'out@example.com', status: 0, since: t.clock.now(), left: null },
      { email: 'new@example.com', status: 1 },
    ]);
  });

  test('left out, keepFld7 is true', async () => {
    await seed();
    await importText(text);
    expect((await people(status)).map((row) => row.status)).toEqual([0, 1, 0]);
  });
});

describe('keys', () => {
  test('fld43 finds by client identifier; addresses of others stay theirs', async () => {
    await add('ada@example.com', 'Ada', { client: 1 });
    await add('bob@example.com', 'Bob', { client: 2 });
    const columnMapping = [column(43, 'client'), ...base.columnMapping];
    const log = await importText(
      'client;email;name\n1;ada2@example.com;A\n2;ada@example.com;B\n3;c@example.com;C\n4;C@example.com;D\n5;e@example.com;E\n',
      { keyDbFieldName: 'fld43', columnMapping },
    );
    expect(log).toMatchObject({ nbUpdates: 1, nbInserts: 2, nbErrorRows: 2, badFormattedRowNumbers: '3,5' });
    expect(errorFile()).toContain('3;the email address belongs to subscriber 1;2;ada@example.com;B');
    expect(errorFile()).toContain('5;the email address stands in row 4 already;4;C@example.com;D');
    expect(await people(sql`fld43::int as client, fld1 as email, fld37 as domain`)).toEqual([
      { client: 1, email: 'ada2@example.com', domain: 'example.com' },
      { client: 2, email: 'bob@example.com', domain: 'example.com' },
      { client: 3, email: 'c@example.com', domain: 'example.com' },
      { client: 5, email: 'e@example.com', domain: 'example.com' },
    ]);
  });

  test('a client identifier of somebody else is refused when the address is the key', async () => {
    await add('ada@example.com', 'Ada', { client: 1 });
    const log = await importText('email;name;client\nnew@example.com;N;1\nada@example.com;A;1\n', {
      columnMapping: [...base.columnMapping, column(43, 'client')],
    });
    expect(log).toMatchObject({ nbErrorRows: 1, nbUpdates: 1 });
    expect(errorFile()).toContain('2;the client identifier belongs to subscriber 1;');
  });

  test('fld0 finds by identifier and never inserts', async () => {
    await add('ada@example.com', 'Ada');
    const columnMapping = [column(0, 'id'), column(101, 'name')];
    const log = await importText('id;name\n1;Countess\n7;Nobody\nx;y\n', {
      keyDbFieldName: 'fld0',
      columnMapping,
    });
    expect(log).toMatchObject({ nbUpdates: 1, nbErrorRows: 2, nbInserts: 0 });
    expect(errorFile()).toContain('3;no subscriber has this identifier;7;Nobody');
  });

  test("a custom field finds exactly; nobody is inserted without an address, and a shared key is nobody's", async () => {
    await add('ada@example.com', 'X1');
    await add('bob@example.com', 'X2');
    await add('cy@example.com', 'X2');
    const columnMapping = [column(101, 'code'), column(102, 'points')];
    const log = await importText('code;points\nX1;5\nX2;6\nx1;7\n;8\n', {
      keyDbFieldName: 'fld101',
      columnMapping,
    });
    expect(log).toMatchObject({ nbUpdates: 1, nbErrorRows: 3, nbInserts: 0 });
    expect(errorFile()).toContain('3;2 subscribers have this key;X2;6');
    expect(errorFile()).toContain('4;email to insert not found;x1;7');
    expect(errorFile()).toContain('5;Field 101 (Prénom): the key is empty;;8');
  });
});

describe('values', () => {
  const all = [
    column(1, 'email'),
    column(101, 'text'),
    column(102, 'int'),
    column(103, 'date', 'dd/MM/yyyy HH:mm'),
  ];
  const mapped = [...all, column(104, 'bool'), column(105, 'list', 'VALUE')];
  const read = sql`fld101 as text, fld102 as int, fld103 as date, fld104 as bool, fld105 as list`;

  test('of each type, trimmed of non-breaking spaces, in NFC; an empty cell empties', async () => {
    const text = 'email;text;int;date;bool;list\n';
    await importText(
      `${text}a@example.com;\u00a0E\u0301lodie\u00a0;+12;01/07/2026 12:30;oui; nîmes\u00a0\n`,
      { columnMapping: mapped },
    );
    expect(await people(read)).toEqual([
      { text: 'Élodie', int: 12, date: new Date('2026-07-01T10:30:00Z'), bool: true, list: -3 },
    ]);
    await importText(`${text}a@example.com;;;;;\n`, { columnMapping: mapped });
    expect(await people(read)).toEqual([{ text: null, int: null, date: null, bool: null, list: null }]);
  });

  test('that do not fit refuse their row and name the field', async () => {
    const bad = ['x'.repeat(300), '1.5', '31/02/2026 00:00', 'maybe', 'Rome'];
    const rows = bad.map((cell, i) => `a@example.com${';'.repeat(i + 1)}${cell}${';'.repeat(5 - i - 1)}`);
    const log = await importText(`email;text;int;date;bool;list\n${rows.join('\n')}\n`, {
      columnMapping: mapped,
    });
    expect(log).toMatchObject({ nbErrorRows: 5, nbInserts: 0 });
    for (const id of [101, 102, 103, 104, 105]) expect(errorFile()).toContain(`Field ${id}`);
  });

  test('fixed ones, none, and the time of the import', async () => {
    await importText('email;name;x\na@example.com;N;ignored\n', {
      columnMapping: [
        column(1, 'email'),
        { dbFieldName: 'fld101', idMappingMode: 2, fixedValue: "'; drop table subscriber --" },
        { dbFieldName: 'fld102', idMappingMode: 3, fileColumnName: 'x' },
        { dbFieldName: 'fld103', idMappingMode: 4 },
        { dbFieldName: 'fld105', idMappingMode: 2, fixedValue: 'Lyon', format: 'VALUE' },
      ],
    });
    expect(await people(read)).toMatchObject([
      { text: "'; drop table subscriber --", int: null, date: t.clock.now(), list: 2 },
    ]);
  });

  test('that COPY would read as its own signs stay as they are', async () => {
    await importText('email|name\na@example.com|"\\N \\.\tx\\\ny"\n', { columnDelimiter: '|' });
    expect(await people()).toMatchObject([{ name: '\\N \\.\tx\\\ny' }]);
  });
});

describe('files', () => {
  test('in code page 1252, with another delimiter, from a line, without names', async () => {
    const text = 'Report of the day\r\n\r\na@example.com,Zoë €\r\n';
    const log = await importText(iconv.encode(text, 'win1252'), {
      codepage: 1252,
      columnDelimiter: ',',
      startLine: 3,
      columnNamesFirstLine: false,
      columnMapping: [column(1, '1'), column(101, '2')],
    });
    expect(log.totalRows).toBe(1);
    expect(await people()).toMatchObject([{ name: 'Zoë €' }]);
  });

  test('.gz, in a sub-directory', async () => {
    await importText(gzipSync('email;name\na@example.com;x\n'), { filename: 'in/people.csv.gz' });
    expect(await people()).toHaveLength(1);
  });

  test('of many pieces', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `user${i}@example.com;"Name ${i}; of ""many"""`);
    const log = await importText(`email;name\n${rows.join('\n')}`);
    expect(log).toMatchObject({ totalRows: 20_000, nbInserts: 20_000 });
    expect(await people(sql`fld101 as name`)).toContainEqual({ name: 'Name 19999; of "many"' });
  });
});

describe('PackageErrorCreation, with a text', () => {
  test.each<[string, string | Buffer | undefined, Partial<ImportParameters>, RegExp]>([
    ['no such file', undefined, {}, /people\.csv does not exist/],
    ['an empty file', '', {}, /is empty/],
    ['no such column', 'email;other\na@example.com;x\n', {}, /no column name/],
    [
      'no such field',
      'email;name\n',
      { columnMapping: [...base.columnMapping, column(199, 'name')] },
      /Unknown field fld199/,
    ],
    ['a broken .gz', 'email;name\n', { filename: 'a.gz' }, /cannot be unpacked/],
    [
      'a bomb',
      gzipSync(Buffer.alloc(30_000_000, 'email;name\n')),
      { filename: 'b.gz' },
      /grows more than 100 times/,
    ],
    ['broken names', '"email;name\na@example.com;x', {}, /column names the text qualifier is not closed/],
    [
      'a fixed value that does not fit',
      'email;name\n',
      {
        columnMapping: [base.columnMapping[0]!, { dbFieldName: 'fld102', idMappingMode: 2, fixedValue: 'x' }],
      },
      /Field 102/,
    ],
    [
      'the time for a text',
      'email;name\n',
      { columnMapping: [base.columnMapping[0]!, { dbFieldName: 'fld101', idMappingMode: 4 }] },
      /only a Date/,
    ],
    [
      'a date as the key',
      'email;name\n',
      { keyDbFieldName: 'fld103', columnMapping: [column(103, 'name')] },
      /cannot be the key/,
    ],
    [
      'a format that is none',
      'email;name\n',
      { columnMapping: [base.columnMapping[0]!, column(103, 'name', 'MM/yyyy')] },
      /does not name day/,
    ],
  ])('for %s', async (_what, content, parameters, message) => {
    expect(await cannotStart(content, parameters)).toMatch(message);
  });

  test('for a name that an older version let in', async () => {
    expect(await cannotStart(undefined, { filename: '../other/people.csv' })).toMatch(
      /leaves the repository/,
    );
  });
});

describe('runs', () => {
  test('an ended import does not run again', async () => {
    put('email;name\na@example.com;x\n');
    const { id } = await make({});
    await run(id);
    await t.db.run(sql`delete from ${t.db.t.subscriber}`);
    await run(id);
    expect(await people()).toEqual([]);
  });

  test('one that was cut off starts over, and leaves no staging table', async () => {
    put('email;name\na@example.com;x\n');
    const { id } = await make({});
    await t.db.run(sql`update ${t.db.t.import} set state = 'InProgress', progression = 60 where id = ${id}`);
    await t.db.run(sql`create table ${t.db.name(`import_${id}_stage`)} (other text)`);
    expect((await run(id)).lastImportLog).toMatchObject({ nbInserts: 1 });
    const left = await t.db.rows(sql`select tablename from pg_tables where tablename like 'import%stage'`);
    expect(left).toEqual([]);
    const tasks = await t.db.rows(sql`
      select task_identifier as name from graphile_worker.jobs where task_identifier = 'finishImport'`);
    expect(tasks.length).toBeGreaterThan(0);
  });

  test('the same one twice at once runs once', async () => {
    put(`email;name\n${Array.from({ length: 5_000 }, (_, i) => `u${i}@example.com;x`).join('\n')}`);
    const { id } = await make({});
    const results = await Promise.allSettled([run(id), run(id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await people()).toHaveLength(5_000);
  });

  test('two of one site at once, over the same rows in opposite order, both end', async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => i);
    put(`email;name\n${rows.map((i) => `u${i}@example.com;up`).join('\n')}`, 'up.csv');
    put(
      `email;name\n${rows
        .reverse()
        .map((i) => `u${i}@example.com;down`)
        .join('\n')}`,
      'down.csv',
    );
    const [up, down] = [await make({ filename: 'up.csv' }), await make({ filename: 'down.csv' })];
    const logs = (await Promise.all([run(up.id), run(down.id)])).map((done) => done.lastImportLog!);
    expect(logs.map((log) => log.nbInserts).sort()).toEqual([0, 4_000]);
    const names = await t.db.rows(sql`select distinct fld101 as name from ${t.db.t.subscriber}`);
    expect(names).toHaveLength(1);
  });

  test('an address that somebody creates meanwhile is found at the next try', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com;file`);
    put(`email;name\n${rows.join('\n')}`);
    const { id } = await make({});
    const creator = (async () => {
      for (let i = 0; i < 3_000; i += 7) {
        await t.db.run(sql`
          insert into ${t.db.t.subscriber} (fld1, fld101) values (${`u${i}@example.com`}, 'api') on conflict do nothing`);
      }
    })();
    const done = await run(id);
    await creator;
    expect(done.importState).toBe('Completed');
    expect(await people()).toHaveLength(3_000);
  });

  test('an aborted one changes nothing', async () => {
    put('email;name\na@example.com;x\n');
    const { id } = await make({});
    const aborted = runImport.run(t.app, { idSite: t.db.site.id, idImport: id }, AbortSignal.abort());
    await expect(aborted).rejects.toThrow();
    expect((await findImport(t.db, id))!.importState).toBe('InProgress');
    expect(await people()).toEqual([]);
  });
});
