import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvShape, CsvSplitter } from './csv-splitter.ts';
import { maxRecordLength, type TableRecord } from './table.ts';

const usual: CsvShape = { delimiter: ';', qualifier: '"', rowDelimiter: 'lines' };

/** Splits text that comes in pieces of a size. */
function split(
  text: string,
  shape: Partial<CsvShape> = {},
  size = text.length || 1,
  startLine = 1,
): TableRecord[] {
  const splitter = new CsvSplitter({ ...usual, ...shape }, startLine);
  const records: TableRecord[] = [];
  for (let at = 0; at < text.length; at += size)
    records.push(...[...splitter.push(text.slice(at, at + size))].flat());
  return [...records, ...[...splitter.end()].flat()];
}
const cellsOf = (records: TableRecord[]) => records.map((record) => record.cells);

describe('CsvSplitter', () => {
  it.each<[string, Partial<CsvShape>, string[][]]>([
    [
      'a;b\nc;d',
      {},
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a;b\r\nc;d\r\n',
      {},
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a;b\nc;d\r\n\r\n\n',
      {},
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a;b";"c""d"\n', {}, [['a;b', 'c"d']]],
    [
      '"a\r\nb";c\r\nd;e',
      {},
      [
        ['a\r\nb', 'c'],
        ['d', 'e'],
      ],
    ],
    ['"";""\n""', {}, [['', ''], ['']]],
    [';;\n', {}, [['', '', '']]],
    ['a"b;c\n', {}, [['a"b', 'c']]],
    [' "a";b\n', {}, [[' "a"', 'b']]],
    [
      "'a|b'|c~\nd|e~\n",
      { delimiter: '|', qualifier: "'", rowDelimiter: '~\n' },
      [
        ['a|b', 'c'],
        ['d', 'e'],
      ],
    ],
    [
      'a##b§§c##d',
      { delimiter: '##', rowDelimiter: '§§' },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a\tb\rc\td\r',
      { delimiter: '\t', rowDelimiter: '\r' },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a";"b"\n', { qualifier: '' }, [['"a"', '"b"']]],
    ['', {}, []],
  ])('%j', (text, shape, expected) => {
    for (const size of [1, 2, 3, 1000]) expect(cellsOf(split(text, shape, size))).toEqual(expected);
  });

  it('numbers records by the line they begin on', () => {
    expect(split('a\n"b\n\nc"\n\nd\n').map((record) => record.line)).toEqual([1, 2, 6]);
  });

  it.each([1, 2, 7])('begins at the start line, whatever is above it', (size) => {
    const records = split('"never closed\n\nname\nAda', {}, size, 3);
    expect(records).toEqual([
      { line: 3, cells: ['name'] },
      { line: 4, cells: ['Ada'] },
    ]);
  });

  it.each<[string, string, number[]]>([
    ['a\n"b" c;d\ne', 'text follows the closing text qualifier', [2]],
    ['a\nb\0c\nd', 'holds a NUL character', [2]],
    ['a\nb\ufffdc\nd', 'holds bytes that are not in the code page', [2]],
    ['a\n"b;c\nd\ne', 'the text qualifier is not closed', [2]],
    ['"a\n"b\n"c', 'the text qualifier is not closed', [1, 2, 3]],
    ['a\n"b\nc\n"d" e\nf', 'the text qualifier is not closed', [2]],
  ])('%j is faulty in its row only: %s', (text, fault, lines) => {
    for (const size of [1, 3, 1000]) {
      const faulty = split(text, {}, size).filter((record) => record.fault === fault);
      expect(faulty.map((record) => record.line)).toEqual(lines);
    }
  });

  it.each<[string, string]>([
    ['a qualifier that is not closed', '"a;b'],
    ['text behind a closing qualifier', '"a" a;b'],
    ['a NUL between qualifiers', '"a\0";b'],
    ['a NUL', 'a\0;b'],
  ])('a record with %s has nothing of its CR LF', (_what, row) => {
    for (const size of [1, 3, 1000]) {
      for (const text of [`x\r\n${row}\r\ny;z\r\n`, `x\r\n${row}\r\n`, `x\r\n${row}`]) {
        expect(split(text, {}, size)[1]).toMatchObject({ fault: expect.anything(), cells: row.split(';') });
      }
    }
    // A CR that ends no row is a character like any other.
    const [first] = split('"a\r~x~', { rowDelimiter: '~' });
    expect(first?.cells).toEqual(['"a\r']);
  });

  it('continues behind a qualifier that is never closed, even a megabyte before the end', () => {
    const text = `a;b\n"c;d\n${'e;f\n'.repeat(600_000)}`;
    const records = split(text, {}, 65_536);
    expect(records).toHaveLength(600_002);
    expect(records.filter((record) => record.fault)).toEqual([
      { line: 2, cells: ['"c', 'd'], fault: 'the text qualifier is not closed' },
    ]);
    expect(records.at(-1)).toEqual({ line: 600_002, cells: ['e', 'f'] });
  });

  it('drops what is longer than a megabyte and keeps its memory', () => {
    const splitter = new CsvSplitter(usual);
    const groups = [...splitter.push('a;b\n')];
    const piece = 'x'.repeat(65_536);
    for (let i = 0; i < 1_600; i++) groups.push(...splitter.push(piece));
    groups.push(...splitter.push('\nc;d\n'), ...splitter.end());
    expect(groups.flat().map(({ line, fault }) => [line, fault])).toEqual([
      [1, undefined],
      [2, `is longer than ${maxRecordLength} characters`],
      [3, undefined],
    ]);
  });

  it('hands on in small groups what one piece completes', () => {
    const rows = 'x\n'.repeat(500_000);
    const splitter = new CsvSplitter(usual);
    // Waits for the closing qualifier until it is too long for a record.
    const waiting = [...splitter.push(`"a\n${rows}`)].flat();
    expect(waiting).toEqual([]);
    const groups = [...splitter.push(rows), ...splitter.end()];
    expect(groups.flat().length).toBe(1_000_001);
    expect(Math.max(...groups.map((group) => group.length))).toBe(4_096);
    const long = [...new CsvSplitter(usual).push(`${'y'.repeat(9_999)}\n`.repeat(30))];
    expect(long.map((group) => group.length)).toEqual([7, 7, 7, 7, 2]);
  });

  it('reads what csv-parse reads', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ';', '"', '\n', '\r\n', 'é', ' '), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), fc.nat(5), (rows, size) => {
        const text = rows
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(';'))
          .join('\n');
        const theirs = parse(text, { delimiter: ';', relax_column_count: true, record_delimiter: '\n' });
        expect(cellsOf(split(text, {}, size + 1))).toEqual(theirs);
        expect(theirs).toEqual(rows);
      }),
    );
  });
});
