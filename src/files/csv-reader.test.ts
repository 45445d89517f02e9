import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { encodingOf } from './code-page.ts';
import { type CsvOptions, csvLine, readCsv } from './csv-reader.ts';

const usual: CsvOptions = {
  delimiter: ';',
  qualifier: '"',
  rowDelimiter: 'lines',
  codePage: 65001,
  startLine: 1,
};

async function read(
  bytes: Buffer,
  options: Partial<CsvOptions> = {},
  name = 'a.csv',
  size = 7,
): Promise<unknown[]> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const rows: unknown[] = [];
  for await (const group of readCsv(name, Readable.from(pieces), { ...usual, ...options })) {
    rows.push(...group.map((record) => record.fault ?? record.cells));
  }
  return rows;
}

describe('readCsv', () => {
  const text = 'nom;ville\nÉlodie;Nîmes\nŒuvre;5 €\n';
  const rows = [
    ['nom', 'ville'],
    ['Élodie', 'Nîmes'],
    ['Œuvre', '5 €'],
  ];

  it.each([
    [1252, 'win1252'],
    [65001, 'utf8'],
    [28605, 'iso-8859-15'],
    [858, 'cp858'],
    [1200, 'utf-16le'],
    [65000, 'utf-7'],
  ])('decodes code page %i', async (codePage, encoding) => {
    const known = encoding === 'cp858' ? text.replaceAll('Œ', 'O') : text;
    expect(await read(iconv.encode(known, encoding), { codePage })).toEqual(
      JSON.parse(JSON.stringify(rows).replaceAll('Œ', encoding === 'cp858' ? 'O' : 'Œ')),
    );
  });

  it.each(['utf8', 'utf-16le', 'utf-16be'])(
    'honours the byte-order mark of %s, whatever page was named',
    async (encoding) => {
      expect(
        await read(iconv.encode(text, encoding, { addBOM: true }), { codePage: 1252 }, 'a.csv', 1),
      ).toEqual(rows);
    },
  );

  it('reads files of none, one and two bytes', async () => {
    expect(await read(Buffer.from(''))).toEqual([]);
    expect(await read(Buffer.from('a'))).toEqual([['a']]);
    expect(await read(Buffer.from('é'), {}, 'a', 1)).toEqual([['é']]);
  });

  it('reports bytes that the page does not have', async () => {
    const bytes = Buffer.concat([Buffer.from('a\nb'), Buffer.from([0xe9]), Buffer.from('\nc\n')]);
    expect(await read(bytes)).toEqual([['a'], 'holds bytes that are not in the code page', ['c']]);
  });

  it('refuses an unknown code page', async () => {
    expect(encodingOf(37)).toBeUndefined();
    await expect(read(Buffer.from('a'), { codePage: 12345 })).rejects.toThrow(
      'The code page 12345 is not known',
    );
  });

  it('unpacks .gz', async () => {
    expect(await read(gzipSync(text), {}, 'a.csv.GZ')).toEqual(rows);
  });

  it('refuses what only claims to be packed, and what ends too early', async () => {
    await expect(read(Buffer.from('a;b\n'), {}, 'a.gz')).rejects.toThrow('The file cannot be unpacked');
    await expect(read(gzipSync(text).subarray(0, 30), {}, 'a.gz')).rejects.toThrow(
      'The file cannot be unpacked',
    );
  });

  it('stops at a bomb before it has grown', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000, 'a;b\n'));
    const before = process.memoryUsage.rss();
    await expect(read(bomb, {}, 'a.gz', 65_536)).rejects.toThrow('grows more than 100 times');
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
  });

  it('hands the error of the source on', async () => {
    const source = new Readable({
      read() {
        this.destroy(new Error('gone'));
      },
    });
    await expect(readCsv('a.csv', source, usual).next()).rejects.toThrow('gone');
  });
});

it('csvLine quotes what needs it', () => {
  expect(csvLine(['a', 'b;c', 'd"e', 'f\ng', ''], usual)).toBe('a;"b;c";"d""e";"f\ng";\r\n');
});
