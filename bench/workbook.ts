import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import {
  sheetHead,
  sheetTail,
  stringsHead,
  stringsTail,
  workbookParts,
} from '../src/testing/make-workbook.ts';

/** How a column's texts become cells. */
export type CellKind = 'text' | 'number' | 'boolean' | 'date';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const serialOf = (text: string) => {
  const [day, month, year] = text.split('/').map(Number);
  return Date.UTC(year!, month! - 1, day) / 86_400_000 + 25_569;
};

/** Writes rows as Excel does: shared texts, real numbers, truths and dates (`dd/MM/yyyy`); the first row as texts. */
export async function writeWorkbook(
  path: string,
  rows: Iterable<readonly string[]>,
  kinds: readonly CellKind[],
): Promise<void> {
  const shared = new Map<string, number>();
  const text = (value: string) => {
    if (!shared.has(value)) shared.set(value, shared.size);
    return `t="s"><v>${shared.get(value)}`;
  };
  const cells: Record<CellKind, (value: string) => string> = {
    text,
    number: (value) => `><v>${value}`,
    boolean: (value) => `t="b"><v>${value}`,
    date: (value) => `s="1"><v>${serialOf(value)}`,
  };
  function* sheet() {
    yield sheetHead;
    let line = 0;
    for (const row of rows) {
      line++;
      const made = row.map((value, i) => {
        const write = line === 1 ? text : cells[kinds[i]!];
        return `<c r="${String.fromCharCode(65 + i)}${line}" ${write(value)}</v></c>`;
      });
      yield `<row r="${line}" spans="1:${row.length}">${made.join('')}</row>`;
    }
    yield sheetTail;
  }
  function* strings() {
    yield stringsHead;
    for (const value of shared.keys()) yield `<si><t xml:space="preserve">${escaped(value)}</t></si>`;
    yield stringsTail;
  }
  const zip = new yazl.ZipFile();
  const parts = workbookParts({
    rows: () => Readable.from(sheet(), { objectMode: false }),
    strings: () => Readable.from(strings(), { objectMode: false }),
    styles: '<xf numFmtId="0"/><xf numFmtId="14"/>',
  });
  // The sheet first: its texts are known when it is written.
  const last = 'xl/sharedStrings.xml';
  const names = Object.keys(parts).sort((a, b) => Number(a === last) - Number(b === last));
  for (const name of names) {
    const part = parts[name]!;
    if (typeof part === 'string') zip.addBuffer(Buffer.from(part), name);
    else zip.addReadStreamLazy(name, (done) => done(null, part()));
  }
  zip.end();
  await pipeline(zip.outputStream as Readable, createWriteStream(path));
}
