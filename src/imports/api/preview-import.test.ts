import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { freePort } from '../../testing/free-port.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { sheetHead, sheetTail, textRow, workbookParts, zipOf } from '../../testing/make-workbook.ts';
import { previewFile } from '../preview.ts';

describe('previewImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
  });
  afterAll(() => t.close());

  const write = (name: string, content: string | Buffer) => {
    const path = join(siteFolderPath(t.dataDir, t.db.site.id), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const preview = (filename: string, more: object = {}) =>
    t.call('POST', '/imports/preview', { as: 'editor', body: { filename, ...more } });

  it('200 shows the first rows, how they are read, and whose columns they probably are', async () => {
    write('people.csv', 'E-mail;City\nada@example.com;"Lon;don"\nbo@example.com;Paris\n');
    expect(await preview('people.csv')).toMatchObject({
      status: 200,
      typeName: 'Preview',
      data: {
        isWorkbook: false,
        sheetName: null,
        sheetNames: [],
        startLine: 1,
        columnNamesFirstLine: true,
        textQualifier: '"',
        columnDelimiter: ';',
        codepage: 65001,
        columns: [
          { name: 'E-mail', dbFieldName: 'fld1' },
          { name: 'City', dbFieldName: null },
        ],
        rows: [
          ['ada@example.com', 'Lon;don'],
          ['bo@example.com', 'Paris'],
        ],
      },
    });
  });

  it('200 guesses the code page by all of the first megabyte, and the delimiter', async () => {
    const plain = Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com\tBo\r\n`).join('');
    write('western.txt', iconv.encode(`${plain}zoe@example.com\tZoé\r\n`, 'cp1252'));
    const { data } = await preview('western.txt');
    expect(data).toMatchObject({
      codepage: 1252,
      columnDelimiter: '\\t',
      columnNamesFirstLine: false,
      columns: [
        { name: '1', dbFieldName: 'fld1' },
        { name: '2', dbFieldName: null },
      ],
    });
    expect((data as { rows: string[][] }).rows).toHaveLength(20);
    write('utf8.csv', 'email,name\nzoe@example.com,Zoé\n');
    expect((await preview('utf8.csv')).data).toMatchObject({
      codepage: 65001,
      columnDelimiter: ',',
      rows: [['zoe@example.com', 'Zoé']],
    });
  });

  it('200 follows what the request says instead of guessing', async () => {
    write('odd.csv', iconv.encode("skipped\nemail,name\n'zoé@x',b\n", 'cp1252'));
    const more = {
      startLine: 2,
      columnNamesFirstLine: false,
      textQualifier: "'",
      columnDelimiter: ',',
      codepage: 1252,
    };
    expect((await preview('odd.csv', { ...more, idRepository: 0 })).data).toMatchObject({
      ...more,
      rows: [
        ['email', 'name'],
        ['zoé@x', 'b'],
      ],
    });
    expect((await preview('odd.csv', { ...more, textQualifier: '<none>' })).data).toMatchObject({
      textQualifier: '<none>',
      rows: [
        ['email', 'name'],
        ["'zoé@x'", 'b'],
      ],
    });
  });

  it('200 reads packed files and workbooks', async () => {
    write('people.csv.gz', gzipSync('email,city\nada@example.com,London\n'));
    expect((await preview('people.csv.gz')).data).toMatchObject({
      isWorkbook: false,
      rows: [['ada@example.com', 'London']],
    });
    write('people.xlsx', await workbook());
    expect((await preview('people.xlsx')).data).toMatchObject({
      isWorkbook: true,
      columnNamesFirstLine: true,
      columns: [{ name: 'email', dbFieldName: 'fld1' }, { name: 'city' }],
      rows: [['ada@example.com', 'London']],
    });
  });

  it('200 names the sheets of a workbook, and the one that was read', async () => {
    const sheets = ['People', 'Old people', 'x'.repeat(300)];
    write('book.xlsx', await zipOf(workbookParts({ rows: textRow(1, ['email']), sheets })));
    expect((await preview('book.xlsx')).data).toMatchObject({
      isWorkbook: true,
      sheetName: 'People',
      // No import could name the third.
      sheetNames: ['People', 'Old people'],
      columns: [{ name: 'email' }],
    });
    expect((await preview('book.xlsx', { sheetName: 'old PEOPLE' })).data).toMatchObject({
      sheetName: 'Old people',
      rows: [],
    });
    const many = Array.from({ length: 600 }, (_, i) => `S${i}`);
    write('many.xlsx', await zipOf(workbookParts({ rows: textRow(1, ['email']), sheets: many })));
    expect((await preview('many.xlsx')).data).toMatchObject({ sheetNames: many.slice(0, 500) });
  });

  it('200 cuts long cells and many columns, and shows an empty file', async () => {
    write('wide.csv', `${'x'.repeat(100_000)};${Array(2_000).fill('a').join(';')}\n`);
    const { data } = await preview('wide.csv', { columnNamesFirstLine: false });
    const [row] = (data as { rows: string[][] }).rows;
    expect([row!.length, row![0]!.length]).toEqual([500, 500]);
    write('empty.csv', '');
    expect((await preview('empty.csv')).data).toMatchObject({ columns: [], rows: [] });
  });

  it('400 for a name outside the repository, and settings that cannot be', async () => {
    for (const [filename, more, member] of [
      ['../people.csv', {}, 'filename'],
      ['people.csv', { codepage: 4711 }, 'codepage'],
      ['people.csv', { columnDelimiter: '' }, 'columnDelimiter'],
      ['people.csv', { textQualifier: 'ab' }, 'textQualifier'],
      ['people.csv', { textQualifier: ';', columnDelimiter: ';' }, 'textQualifier'],
    ] as const)
      expect(await preview(filename, more)).toMatchObject({
        status: 400,
        error: expect.stringMatching(new RegExp(`^${member}: `)),
      });
  });

  it('404 for an unknown repository', async () => {
    expect((await preview('people.csv', { idRepository: 4711 })).status).toBe(404);
  });

  it('422 for a file that does not exist or is no table', async () => {
    write('a.pdf', '%PDF-1.7');
    for (const [name, text] of [
      ['none.csv', 'does not exist'],
      ['a.pdf', 'PDF'],
    ] as const)
      expect(await preview(name)).toMatchObject({ status: 422, error: expect.stringContaining(text) });
  });

  it('422 for a workbook that takes too long to read once it is here', async () => {
    // Much to read, and no row to return.
    const rows = () =>
      Readable.from(
        (function* () {
          yield sheetHead;
          for (let i = 0; i < 400; i++) yield `<x y="${randomBytes(32 * 1024).toString('hex')}"/>`;
          yield textRow(1, ['email']) + sheetTail;
        })(),
      );
    write('long.xlsx', await zipOf(workbookParts({ rows })));
    await expect(
      previewFile(t.app, t.db, { filename: 'long.xlsx' }, AbortSignal.timeout(50)),
    ).rejects.toMatchObject({ status: 422, message: expect.stringContaining('takes longer than 10 s') });
  });

  it('503 when the server of the repository is unavailable', async () => {
    const port = await freePort();
    const idRepository = await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port });
    expect((await preview('people.csv', { idRepository })).status).toBe(503);
  });

  const workbook = () =>
    zipOf(workbookParts({ rows: textRow(1, ['email', 'city']) + textRow(2, ['ada@example.com', 'London']) }));
});
