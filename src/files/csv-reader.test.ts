import { Readable } from 'node:stream';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { startOther } from '../testing/turns-of-others.ts';
import { encodingOf } from './code-page.ts';
import { type CsvOptions, csvLine, readCsv } from './csv-reader.ts';

const usual: CsvOptions = {
  delimiter: ';',
  qualifier: '"',
  rowDelimiter: 'lines',
  codePage: 65001,
  startLine: 1,
};

async function read(bytes: Buffer, options: Partial<CsvOptions> = {}, size = 7): Promise<unknown[]> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const rows: unknown[] = [];
  for await (const group of readCsv(Readable.from(pieces), { ...usual, ...options })) {
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
      expect(await read(iconv.encode(text, encoding, { addBOM: true }), { codePage: 1252 }, 1)).toEqual(rows);
    },
  );

  it('reads files of none, one and two bytes', async () => {
    expect(await read(Buffer.from(''))).toEqual([]);
    expect(await read(Buffer.from('a'))).toEqual([['a']]);
    expect(await read(Buffer.from('é'), {}, 1)).toEqual([['é']]);
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

  it('lets others have a turn after each group of what one piece completes', async () => {
    const other = startOther();
    const seenAt = new Set<number>();
    let groups = 0;
    for await (const group of readCsv(Readable.from([Buffer.from('x\n'.repeat(100_000))]), usual)) {
      expect(group.length).toBeLessThanOrEqual(4_096);
      seenAt.add(other.turns);
      groups++;
    }
    other.leave();
    expect(groups).toBeGreaterThan(20);
    expect(seenAt.size).toBe(groups);
  });

  it('hands the error of the source on', async () => {
    const source = new Readable({
      read() {
        this.destroy(new Error('gone'));
      },
    });
    await expect(readCsv(source, usual).next()).rejects.toThrow('gone');
  });
});

describe('csvLine', () => {
  const cells = ['a', 'b;c', 'd"e', 'f\ng', 'h\ri', ''];
  it.each<[string, Partial<CsvOptions>, string]>([
    ['quotes what needs it', {}, 'a;"b;c";"d""e";"f\ng";"h\ri";\r\n'],
    [
      'in any signs',
      { delimiter: ';c', qualifier: "'", rowDelimiter: '~' },
      "a;c'b;c';cd\"e;cf\ng;c'h\ri';c~",
    ],
    ['without a qualifier', { qualifier: '' }, 'a;b_c;d"e;f_g;h\ri;\r\n'],
  ])('%s', (_what, shape, line) => {
    expect(csvLine(cells, { ...usual, ...shape })).toBe(line);
  });

  it('is read back as it was, in any shape', async () => {
    const sign = fc.string({ unit: fc.constantFrom(...';|,\t#~é'), minLength: 1, maxLength: 3 });
    const quote = fc.constantFrom('"', "'", '`');
    const cell = fc.string({
      unit: fc.constantFrom('a', ';', '|', '#', '~', '"', "'", '`', '\n', '\r', 'é'),
      maxLength: 6,
    });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 }).map((cells) => ['x', ...cells]);
    await fc.assert(
      fc.asyncProperty(
        sign,
        fc.oneof(fc.constant('lines'), sign),
        quote,
        fc.array(row),
        async (delimiter, rowDelimiter, qualifier, rows) => {
          fc.pre(!delimiter.includes(rowDelimiter) && !rowDelimiter.includes(delimiter));
          const shape = { ...usual, delimiter, rowDelimiter, qualifier };
          const text = rows.map((cells) => csvLine(cells, shape)).join('');
          expect(await read(Buffer.from(text), shape, 50)).toEqual(rows);
        },
      ),
    );
  });
});
