import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import {
  sheetHead,
  sheetTail,
  stringsHead,
  stringsTail,
  textRow,
  type WorkbookOf,
  workbookParts,
  zipOf,
} from './make-workbook.ts';

/** A file made to do harm, in small: the structure is that of the large one. */
export interface HostileFile {
  readonly what: string;
  readonly filename: string;
  readonly content: Buffer;
  /** Why it cannot be imported. */
  readonly message: RegExp;
}

/** A text again and again, made as it is read. */
const repeated = (text: string, times: number) => () =>
  Readable.from(
    (function* () {
      const piece = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
      for (let left = times * text.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
    })(),
    { objectMode: false },
  );

/** Streams one after the other. */
const joined =
  (...parts: (string | (() => Readable))[]) =>
  () =>
    Readable.from(
      (async function* () {
        for (const part of parts) {
          if (typeof part === 'string') yield Buffer.from(part);
          else yield* part();
        }
      })(),
      { objectMode: false },
    );

const names = textRow(1, ['email', 'name']);
const person = textRow(2, ['a@example.com', 'x']);
const book = async (of: Partial<WorkbookOf>, more: Record<string, string | Buffer | (() => Readable)> = {}) =>
  zipOf({ ...workbookParts({ rows: names + person, ...of }), ...more });
const sheet = (...parts: (string | (() => Readable))[]) => ({
  rows: joined(sheetHead, names, ...parts, sheetTail),
});
const strings = (...parts: (string | (() => Readable))[]) => ({
  strings: joined(stringsHead, ...parts, stringsTail),
});

const laughs =
  '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>' +
  '<worksheet><sheetData><row><c t="inlineStr"><is><t>&c;</t></is></c></row></sheetData></worksheet>';
const outside =
  '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="inlineStr"><is><t>&x;</t>' +
  '</is></c></row></sheetData></worksheet>';
const sheetPart = 'xl/worksheets/sheet1.xml';

const line = 'a@example.com;x\n';
const bomb = joined('email;name\n', repeated(line, 3_000_000));
const tooLarge = /grows more than 100 times/;
/** Text that does not shrink to a hundredth, so that only its own bound can stop it. */
const noise = () => randomBytes(1_100_000).toString('base64');

const archives = (): Promise<HostileFile>[] => [
  hostile('a .gz of 48 MB in 96 kB', 'bomb.gz', buffer(bomb().pipe(createGzip())), tooLarge),
  hostile('a .zip of 48 MB in 96 kB', 'bomb.zip', zipOf({ 'a.csv': bomb }), tooLarge),
  hostile(
    'a zip of zips of zips',
    '42.zip',
    (async () => {
      const inner = await zipOf({ 'a.csv': repeated(line, 100_000) });
      const middle = await zipOf(
        Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`lib ${i}.zip`, inner])),
      );
      return zipOf(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`book ${i}.zip`, middle])));
    })(),
    /must contain one file; it contains 16/,
  ),
  hostile(
    'a zip in a zip',
    'nested.zip',
    zipOf({ 'a.csv': line }).then((zip) => zipOf({ 'a.zip': zip })),
    /packed twice/,
  ),
  hostile('a .gz in a .gz', 'twice.gz', gzipSync(gzipSync(line)), /packed twice/),
  hostile(
    'more entries than can be kept',
    'entries.zip',
    zipOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}.csv`, '']))),
    /holds 10001 entries, more than 10000/,
  ),
  hostile(
    'a name on the way out',
    'out.zip',
    renamed('../../evil.csv'),
    /cannot be read: invalid relative path/,
  ),
  hostile('a name from the root', 'root.zip', renamed('/tmp/evil.csv.'), /cannot be read: absolute path/),
  hostile('a drive', 'drive.zip', renamed('C:/tmp/evil.csv'), /cannot be read: absolute path/),
];

/** A zip whose one entry has a name that a well-behaved writer refuses. */
async function renamed(name: string): Promise<Buffer> {
  const polite = 'x'.repeat(name.length);
  const zip = await zipOf({ [polite]: `email;name\n${line}` });
  return Buffer.from(zip.toString('latin1').replaceAll(polite, name), 'latin1');
}

/** Workbooks whose XML is the weapon. */
const xml = (): Promise<HostileFile>[] => [
  hostile(
    'entities that multiply',
    'laughs.xlsx',
    book({}, { [sheetPart]: laughs }),
    /declares a document type/,
  ),
  hostile(
    'entities from outside',
    'outside.xlsx',
    book({}, { [sheetPart]: outside }),
    /declares a document type/,
  ),
  hostile(
    'entities in UTF-16',
    'utf16.xlsx',
    book({}, { [sheetPart]: Buffer.from(`\ufeff${laughs}`, 'utf16le') }),
    /declares a document type/,
  ),
  hostile(
    'an entity that is not declared',
    'entity.xlsx',
    book({ rows: textRow(1, ['&x;']) }),
    /undefined entity/i,
  ),
  hostile(
    'bytes that are not UTF-8',
    'bytes.xlsx',
    book({}, { [sheetPart]: randomBytes(5_000) }),
    /cannot be read/,
  ),
  hostile('a NUL character', 'nul.xlsx', book({ rows: textRow(1, ['a\0']) }), /not well-formed XML/),
];

/** Workbooks whose rows are. */
const rowBombs = (): Promise<HostileFile>[] => [
  hostile('millions of empty rows', 'rows.xlsx', book(sheet(repeated('<row/>', 3e6))), tooLarge),
  hostile(
    'a row past the last one',
    'past.xlsx',
    book(sheet('<row r="1000000000"/>')),
    /more than 1048576 rows/,
  ),
  hostile('rows in no order', 'order.xlsx', book(sheet('<row r="7"/><row r="7"/>')), /row 7 follows row 7/),
  hostile(
    'elements in elements',
    'deep.xlsx',
    book(sheet(repeated('<row>', 1_000_000))),
    /nests more than 100/,
  ),
  hostile(
    'an attribute of megabytes',
    'attribute.xlsx',
    book(sheet('<row x="', noise(), '"/>')),
    /a text longer than/,
  ),
  hostile(
    'a comment of megabytes',
    'comment.xlsx',
    book(sheet('<!--', noise(), '-->')),
    /a text longer than/,
  ),
  hostile(
    'a column past the last one',
    'column.xlsx',
    book(sheet('<row><c r="XFE2"/></row>')),
    /XFE2 is not a cell/,
  ),
];

/** Workbooks whose shared texts are, or that lack a part. */
const textBombs = (): Promise<HostileFile>[] => [
  hostile(
    'shared texts of 100 MB in one element',
    'text.xlsx',
    book(strings('<si><t>', repeated('x', 1e8), '</t></si>')),
    /a text longer than|grows more than 100 times/,
  ),
  hostile(
    'a shared text of megabytes',
    'noise.xlsx',
    book(strings('<si><t>', noise(), '</t></si>')),
    /longer than/,
  ),
  hostile(
    'millions of shared texts',
    'texts.xlsx',
    book(strings(repeated('<si><t/></si>', 2_000_000))),
    tooLarge,
  ),
  hostile(
    'one long text in every cell',
    'echo.xlsx',
    book({
      ...strings(`<si><t>${'x'.repeat(32_000)}</t></si>`),
      ...sheet(repeated('<row><c t="s"><v>0</v></c></row>', 100_000)),
    }),
    tooLarge,
  ),
  hostile(
    'a sheet that ends too early',
    'end.xlsx',
    book({ rows: joined(sheetHead, names) }),
    /not well-formed/,
  ),
  hostile(
    'a part that is not there',
    'part.xlsx',
    book({}, { 'xl/_rels/workbook.xml.rels': '<a/>' }),
    /no sheet/,
  ),
];

async function hostile(
  what: string,
  filename: string,
  content: Buffer | Promise<Buffer>,
  message: RegExp,
): Promise<HostileFile> {
  return { what, filename, content: await content, message };
}

/** Files that cannot be imported, each for its own reason. */
export async function hostileFiles(): Promise<HostileFile[]> {
  return Promise.all([...archives(), ...xml(), ...rowBombs(), ...textBombs()]);
}
