import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import XLSX from '@e965/xlsx';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { textRow, type WorkbookOf, workbookParts, zipOf } from '../testing/make-workbook.ts';
import { LocalRepository } from './local-repository.ts';
import type { FileStat, RepositoryFiles } from './repository.ts';
import { ChangingFile, TableError, type TableRecord } from './table.ts';
import { readTable, type TableFormat } from './table-reader.ts';

const usual: TableFormat = {
  csv: { delimiter: ';', qualifier: '"', rowDelimiter: 'lines', codePage: 65001, startLine: 1 },
  sheetName: '',
  leastColumns: 0,
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-table-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read(
  name: string,
  content: Buffer | string,
  format: Partial<TableFormat> = {},
  shares: number[] = [],
): Promise<TableRecord[]> {
  writeFileSync(join(folder, name), content);
  const files = await LocalRepository.open(folder);
  const records: TableRecord[] = [];
  const progress = async (share: number) => void shares.push(share);
  const reading = { format: { ...usual, ...format }, tmpDir: join(folder, 'tmp'), progress };
  for await (const group of readTable(files, name, reading)) records.push(...group);
  return records;
}
const cellsOf = (records: TableRecord[]) => records.map((record) => record.cells);
const startingAt = (startLine: number): Partial<TableFormat> => ({ csv: { ...usual.csv, startLine } });

const text = 'nom;ville\nÉlodie;Nîmes\n';
const rows = [
  ['nom', 'ville'],
  ['Élodie', 'Nîmes'],
];

describe('packings', () => {
  const book = () => zipOf(workbookParts({ rows: textRow(1, rows[0]!) + textRow(2, rows[1]!) }));

  it('reads a table in any packing, and reports its progress', async () => {
    const xlsx = await book();
    const files: [string, Buffer][] = [
      ['a.csv', Buffer.from(text)],
      ['b.csv.GZ', gzipSync(text)],
      ['c.zip', await zipOf({ 'in/people.csv': text, '__MACOSX/in/._people.csv': 'x', 'in/.DS_Store': 'x' })],
      ['d.xlsx', xlsx],
      ['e.xlsx.gz', gzipSync(xlsx)],
      ['f.zip', await zipOf({ 'people.xlsx': xlsx })],
    ];
    for (const [name, content] of files) {
      const shares: number[] = [];
      expect([name, cellsOf(await read(name, content, {}, shares))]).toEqual([name, rows]);
      expect(shares.at(-1)).toBeCloseTo(1, 5);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    }
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('goes by the content where the name promises nothing', async () => {
    expect(cellsOf(await read('a.csv', gzipSync(text)))).toEqual(rows);
    expect(cellsOf(await read('a.csv', await zipOf({ 'p.txt': text })))).toEqual(rows);
    expect(cellsOf(await read('people', await book()))).toEqual(rows);
    expect(cellsOf(await read('book.zip', await book()))).toEqual(rows);
  });

  it('reads archives of the zip64 kind, and stored ones', async () => {
    for (const options of [{ forceZip64Format: true }, { compress: false }]) {
      const zip = new yazl.ZipFile();
      zip.addBuffer(Buffer.from(text), 'a.csv', options);
      zip.end({ forceZip64Format: options.forceZip64Format ?? false, comment: '' });
      const content = await buffer(zip.outputStream as Readable);
      expect(cellsOf(await read('a.zip', content))).toEqual(rows);
    }
  });

  it('takes any name for a name inside an archive', async () => {
    const names = ['a\u0001\u202e.csv', 'in/=a;b.txt', 'é'.repeat(200)];
    for (const name of names)
      expect(cellsOf(await read('a.zip', await zipOf({ [name]: text })))).toEqual(rows);
    const zip = await zipOf({ 'a\u0001\u202e.zip': await zipOf({}) });
    await expect(read('b.zip', zip)).rejects.toThrow('packed twice');
  });

  const encrypted = async () => {
    const zip = await zipOf({ 'a.csv': text });
    // The flag of encryption, in the local header and in the directory.
    zip[6] = zip[6]! | 1;
    const entry = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    zip[entry + 8] = zip[entry + 8]! | 1;
    return zip;
  };
  const damaged = async () => {
    const zip = await zipOf({ 'a.csv': text });
    const entry = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    zip.writeUInt32LE(1, entry + 16);
    return zip;
  };

  it.each<[string, string, string | Buffer | (() => Promise<Buffer>), RegExp]>([
    ['a .gz that is none', 'a.gz', text, /a\.gz is not what its name says \(gzip\)/],
    ['an .xlsx that is none', 'a.xlsx', text, /a\.xlsx is not what its name says \(zip\)/],
    ['an empty .zip', 'a.zip', '', /not what its name says/],
    [
      'a .gz that ends too early',
      'a.gz',
      gzipSync(text).subarray(0, 30),
      /cannot be unpacked: unexpected end/,
    ],
    [
      'a zip that ends too early',
      'a.zip',
      async () => (await book()).subarray(0, 300),
      /cannot be read: End of/,
    ],
    ['a zip with a wrong checksum', 'a.zip', damaged, /a checksum is wrong/],
    ['an encrypted one', 'a.zip', encrypted, /a\.csv in the zip archive is encrypted/],
    ['two files in a zip', 'a.zip', () => zipOf({ 'a.csv': text, 'b.csv': text }), /one file; it contains 2/],
    [
      'a zip whose names and comments fill the memory',
      'a.zip',
      async () => {
        const zip = new yazl.ZipFile();
        for (let i = 0; i < 200; i++) {
          zip.addBuffer(Buffer.from('x'), `${i}-${'c'.repeat(60_000)}`);
        }
        zip.end();
        return buffer(zip.outputStream as Readable);
      },
      /names and comments of more than 8 MB/,
    ],
    ['an empty zip', 'a.zip', () => zipOf({}), /one file; it contains 0/],
    [
      'a zip in a zip',
      'a.zip',
      async () => zipOf({ 'b.zip': await zipOf({ 'c.csv': text }) }),
      /packed twice/,
    ],
    ['a .gz in a .gz', 'a.gz', gzipSync(gzipSync(text)), /packed twice/],
    [
      'an old .xls, or one with a password',
      'a.csv',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /an \.xls file, or/,
    ],
    ['a 7z archive', 'a.csv', Buffer.from('377abcaf271c0004', 'hex'), /a \.7z archive/],
    ['an .xlsb workbook', 'a.xlsx', () => zipOf({ 'xl/workbook.bin': 'x' }), /an \.xlsb workbook/],
    ['an OpenDocument', 'a.zip', () => zipOf({ mimetype: 'x', 'content.xml': 'x' }), /an OpenDocument file/],
    [
      'a text document',
      'a.zip',
      () => zipOf({ '[Content_Types].xml': '<a/>', '_rels/.rels': '<a/>' }),
      /does not contain a workbook/,
    ],
  ])('refuses %s', async (_what, name, content, message) => {
    const bytes = typeof content === 'function' ? await content() : content;
    await expect(read(name, bytes)).rejects.toThrow(message);
    expect(readdirSync(folder).filter((one) => one !== 'tmp')).toEqual([name]);
  });

  it('refuses a file that does not exist', async () => {
    const files = await LocalRepository.open(folder);
    const reading = { format: usual, tmpDir: folder };
    await expect(readTable(files, 'none.csv', reading).next()).rejects.toThrow('none.csv does not exist');
    await expect(readTable(files, '../a.csv', reading).next()).rejects.toThrow('leaves the repository');
  });
});

describe('a source', () => {
  const from = (source: Readable): RepositoryFiles => ({
    place: 'a test',
    settlesMs: 0,
    stat: async () => ({ size: 1_000, modifiedAt: new Date(0) }),
    read: async () => source,
    write: async () => undefined,
    remove: async () => false,
    list: async () => [],
    close: async () => undefined,
  });
  /** Bytes, and then an error, as of a connection that breaks. */
  const breaking = (bytes: Buffer) =>
    Readable.from(
      (function* () {
        yield bytes;
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      })(),
      { objectMode: false },
    );

  it.each<[string, () => Promise<Buffer>]>([
    ['a.csv', async () => Buffer.from('a;b\nc')],
    ['a.csv.gz', async () => gzipSync('x'.repeat(10_000)).subarray(0, 20)],
    ['a.zip', async () => (await zipOf({ 'a.csv': text })).subarray(0, 50)],
  ])('that breaks says so as it is: it may be whole at the next try (%s)', async (name, bytes) => {
    const reading = { format: usual, tmpDir: join(folder, 'tmp') };
    const all = async () => {
      for await (const _group of readTable(from(breaking(await bytes())), name, reading));
    };
    await expect(all()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each<[string, () => Promise<Buffer>]>([
    ['a.csv', async () => Buffer.from('a;b\n'.repeat(100_000))],
    ['a.csv.gz', async () => gzipSync('a;b\n'.repeat(10_000))],
    ['a.zip', async () => zipOf({ 'a.csv': 'a;b\n'.repeat(10_000) })],
    ['a.xlsx', async () => zipOf(workbookParts({ rows: textRow(1, ['a']) + '<row/>'.repeat(9_000) }))],
  ])('is closed when the reader stops in the middle (%s)', async (name, bytes) => {
    const source = Readable.from([await bytes()], { objectMode: false });
    const groups = readTable(from(source), name, { format: usual, tmpDir: join(folder, 'tmp') });
    expect((await groups.next()).value).toBeDefined();
    await groups.return(undefined);
    expect(source.destroyed).toBe(true);
  });
});

describe('sheets', () => {
  const sheet = async (of: WorkbookOf, format: Partial<TableFormat> = {}) =>
    read('book.xlsx', await zipOf(workbookParts(of)), format);

  it('reads what SheetJS has written', async () => {
    const data = [
      ['text', 'number', 'date', 'bool', 'long'],
      ['É & <b> "x"\nsecond', 0.1 + 0.2, new Date(Date.UTC(2026, 6, 1, 12, 30)), true, 33612345678],
      [' spaces ', -5, new Date(Date.UTC(2026, 1, 28)), false, 1e20],
    ];
    const book = XLSX.utils.book_new();
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([['other']]), 'Autre');
    const made = XLSX.utils.aoa_to_sheet(data, { UTC: true, dateNF: 'dd/mm/yyyy hh:mm' });
    XLSX.utils.book_append_sheet(book, made, 'Élèves 2026');
    for (const bookSST of [true, false]) {
      const bytes: Buffer = XLSX.write(book, { type: 'buffer', bookSST, compression: true });
      const records = await read('book.xlsx', bytes, { sheetName: 'élèves 2026' });
      expect(cellsOf(records)).toEqual([
        ['text', 'number', 'date', 'bool', 'long'],
        ['É & <b> "x"\nsecond', '0.3', '2026-07-01 12:30:00', '1', '33612345678'],
        [' spaces ', '-5', '2026-02-28', '0', '100000000000000000000'],
      ]);
      expect(records[1]!.special).toEqual(new Map([[2, 'date']]));
    }
  });

  it('keeps the places of cells and rows that are missing, and fills short rows up', async () => {
    const records = await sheet({
      rows:
        '<row r="2"><c r="A2"><v>1</v></c><c r="C2"><v>3</v></c></row><row r="3"/>' +
        '<row r="5"><c r="B5"><v>2</v></c></row><row><c/><c><v>7</v></c></row>' +
        '<row r="9"><c r="A9"/><c r="C9" t="inlineStr"><is><t/></is></c></row>',
    });
    expect(records.map(({ line, cells }) => [line, cells])).toEqual([
      [2, ['1', '', '3']],
      [5, ['', '2', '']],
      [6, ['', '7', '']],
    ]);
  });

  it('begins at the start line, and has as many columns as are requested', async () => {
    const of = {
      rows: textRow(1, ['title', 'x', 'y', 'z']) + textRow(3, ['a']) + textRow(4, ['b', 'c', 'd']),
    };
    expect(await sheet(of, { ...startingAt(2), leastColumns: 2 })).toEqual([
      { line: 3, cells: ['a', ''] },
      { line: 4, cells: ['b', 'c', 'd'], fault: 'has 3 columns instead of 2' },
    ]);
  });

  it('reads each type of cell', async () => {
    const cells = [
      '<c t="s"><v>0</v></c>',
      '<c t="s"><v>1</v></c>',
      '<c t="s"><v>9</v></c>',
      '<c t="str"><f>A1</f><v>of a _x0041_ formula</v></c>',
      '<c><f>1+1</f><v>2</v></c>',
      '<c><f>1+1</f></c>',
      '<c t="str"><f>""</f><v></v></c>',
      '<c t="e"><v>#N/A</v></c>',
      '<c t="b"><v>1</v></c>',
      '<c t="d"><v>2026-07-01T12:30:00</v></c>',
      '<c t="inlineStr"><is><r><t>rich </t></r><r><t xml:space="preserve">text</t></r></is></c>',
      '<c s="1"><v>1000</v></c>',
      '<c s="2"><v>45000.25</v></c>',
      '<c s="3"><v>45000.25</v></c>',
      '<c s="4"><v>0.5</v></c>',
      '<c><v>1.5E-7</v></c>',
    ];
    const records = await sheet({
      strings: '<si><t>a&lt;&#233;</t></si><si><r><t>b</t></r><r><t>c</t></r><rPh><t>no</t></rPh></si>',
      formats:
        '<numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="d/m/yy&quot;h&quot;"/>',
      styles: [0, 164, 165, 22, 20].map((id) => `<xf numFmtId="${id}"/>`).join(''),
      rows: `${cells.map((cell, i) => `<row r="${i + 1}">${cell}</row>`).join('')}`,
    });
    const seen = records.map(({ line, cells: [cell], special, fault }) => [
      line,
      fault ?? special?.get(0) ?? '',
      cell,
    ]);
    expect(seen).toEqual([
      [1, '', 'a<é'],
      [2, '', 'bc'],
      [3, 'refers to a text that the workbook does not hold', undefined],
      [4, '', 'of a A formula'],
      [5, '', '2'],
      [6, 'error', ''],
      [8, 'error', '#N/A'],
      [9, '', '1'],
      [10, 'date', '2026-07-01T12:30:00'],
      [11, '', 'rich text'],
      [12, '', '01000'],
      [13, 'date', '2023-03-15 06:00:00'],
      [14, 'date', '2023-03-15 06:00:00'],
      [15, '', '12:00:00'],
      [16, '', '0.00000015'],
    ]);
  });

  it('counts days from 1904 where the workbook does', async () => {
    const rows = '<row r="1"><c s="0"><v>1</v></c></row>';
    const of = { rows, styles: '<xf numFmtId="14"/>', properties: 'date1904="1"' };
    expect(cellsOf(await sheet(of))).toEqual([['1904-01-02']]);
    expect(cellsOf(await sheet({ ...of, properties: '' }))).toEqual([['1900-01-01']]);
  });

  it('takes the first sheet, or the one that is named', async () => {
    const of = { rows: textRow(1, ['a']), sheets: ['Données', 'B &amp; C'] };
    expect(cellsOf(await sheet(of))).toEqual([['a']]);
    expect(cellsOf(await sheet(of, { sheetName: 'DONNÉES' }))).toEqual([['a']]);
    const parts = workbookParts({ ...of, rows: textRow(1, ['of the hidden one']) });
    const shown = String(parts['xl/workbook.xml']).replace('sheetId="1"', 'sheetId="1" state="hidden"');
    expect(await read('hidden.xlsx', await zipOf({ ...parts, 'xl/workbook.xml': shown }))).toEqual([]);
    expect(await sheet(of, { sheetName: 'B & C' })).toEqual([]);
    await expect(sheet(of, { sheetName: 'x\u202e' })).rejects.toThrow(
      'The workbook has no sheet x\ufffd: it has Données, B & C',
    );
  });

  it('reads UTF-16 parts', async () => {
    const parts = workbookParts({ rows: '' });
    const head = '<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData>';
    const xml = `${head}${textRow(1, ['é'])}</sheetData></worksheet>`;
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')]);
    const bookBytes = await zipOf({ ...parts, 'xl/worksheets/sheet1.xml': bytes });
    expect(cellsOf(await read('a.xlsx', bookBytes))).toEqual([['é']]);
  });
});

describe('a file that changes while it is read', () => {
  const usualStat = { size: 7, modifiedAt: new Date(0) };
  const readChanging = async (name: string, bytes: Buffer, after: FileStat | undefined) => {
    let looks = 0;
    const stat = async () => (looks++ === 0 ? usualStat : after);
    const read = async () => Readable.from([bytes], { objectMode: false });
    const files = { settlesMs: 0, stat, read };
    for await (const _ of readTable(files, name, { format: usual, tmpDir: folder }));
  };

  it.each<[string, FileStat | undefined]>([
    ['another size', { ...usualStat, size: 8 }],
    ['another time', { ...usualStat, modifiedAt: new Date(1) }],
    ['no file any more', undefined],
  ])('is told from one that cannot be read: %s', async (_, after) => {
    await expect(readChanging('a.csv', Buffer.from('a;b\n'), after)).rejects.toThrow(ChangingFile);
    await expect(readChanging('a.csv.gz', Buffer.from('no gzip'), after)).rejects.toThrow(ChangingFile);
  });
});

describe('a repository that fails', () => {
  const failing = (code: unknown) => Object.assign(new Error('stat: it failed'), { code });
  const readFrom = async (files: Parameters<typeof readTable>[0]) => {
    for await (const _ of readTable(files, 'a.csv', { format: usual, tmpDir: folder }));
  };
  const size = { size: 7, modifiedAt: new Date() };
  async function* denied(): AsyncGenerator<Buffer> {
    yield Buffer.from('a');
    throw failing(3);
  }

  it('may respond at the next attempt when its connection breaks, and is believed when it denies', async () => {
    const read = async () => Readable.from(denied());
    const broken = readFrom({ settlesMs: 0, stat: () => Promise.reject(failing('ECONNRESET')), read });
    await expect(broken).rejects.toMatchObject({ code: 'ECONNRESET' });
    const refused = readFrom({ settlesMs: 0, stat: async () => size, read });
    await expect(refused).rejects.toThrow(new TableError('The file cannot be read: stat: it failed'));
  });
});
