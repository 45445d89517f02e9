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
  /** Says what is wrong with it. */
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

/** A zip whose one entry has a name that a well-behaved writer refuses. */
async function renamed(name: string): Promise<Buffer> {
  const polite = 'x'.repeat(name.length);
  const zip = await zipOf({ [polite]: `email;name\n${line}` });
  return Buffer.from(zip.toString('latin1').replaceAll(polite, name), 'latin1');
}

/** A zip of zips of zips. */
async function nestedZips(): Promise<Buffer> {
  const inner = await zipOf({ 'a.csv': repeated(line, 100_000) });
  const sixteen = (zip: Buffer) =>
    zipOf(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`${i}.zip`, zip])));
  return sixteen(await sixteen(inner));
}

type Contents = Buffer | Promise<Buffer>;

const archives = (): Record<string, [Contents, RegExp]> => ({
  '48 MB in 96 kB.gz': [buffer(bomb().pipe(createGzip())), tooLarge],
  '48 MB in 96 kB.zip': [zipOf({ 'a.csv': bomb }), tooLarge],
  'zips of zips.zip': [nestedZips(), /must contain one file; it contains 16/],
  'a zip in a zip.zip': [zipOf({ 'a.csv': line }).then((zip) => zipOf({ 'a.zip': zip })), /packed twice/],
  'a gz in a gz.gz': [gzipSync(gzipSync(line)), /packed twice/],
  'more entries than can be kept.zip': [
    zipOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}.csv`, '']))),
    /holds 10001 entries, more than 10000/,
  ],
  'a name on the way out.zip': [renamed('../../evil.csv'), /cannot be read: invalid relative path/],
  'a name from the root.zip': [renamed('/tmp/evil.csv.'), /cannot be read: absolute path/],
  'a drive.zip': [renamed('C:/tmp/evil.csv'), /cannot be read: absolute path/],
});

/** Workbooks whose XML, rows or shared texts are the weapon, or that lack a part. */
const workbooks = (): Record<string, [Contents, RegExp]> => ({
  'entities that multiply': [book({}, { [sheetPart]: laughs }), /declares a document type/],
  'entities from outside': [book({}, { [sheetPart]: outside }), /declares a document type/],
  'entities in UTF-16': [
    book({}, { [sheetPart]: Buffer.from(`\ufeff${laughs}`, 'utf16le') }),
    /declares a document type/,
  ],
  'an undeclared entity': [book({ rows: textRow(1, ['&x;']) }), /undefined entity/i],
  'bytes that are not UTF-8': [book({}, { [sheetPart]: randomBytes(5_000) }), /cannot be read/],
  'a NUL character': [book({ rows: textRow(1, ['a\0']) }), /not well-formed XML/],
  'millions of empty rows': [book(sheet(repeated('<row/>', 3e6))), tooLarge],
  'a row past the last one': [book(sheet('<row r="1000000000"/>')), /more than 1048576 rows/],
  'rows in no order': [book(sheet('<row r="7"/><row r="7"/>')), /row 7 follows row 7/],
  'elements in elements': [book(sheet(repeated('<row>', 1_000_000))), /nests more than 100/],
  'an attribute of megabytes': [book(sheet('<row x="', noise(), '"/>')), /a text longer than/],
  'a comment of megabytes': [book(sheet('<!--', noise(), '-->')), /a text longer than/],
  'a column past the last one': [book(sheet('<row><c r="XFE2"/></row>')), /XFE2 is not a cell/],
  'shared texts of 100 MB in one element': [
    book(strings('<si><t>', repeated('x', 1e8), '</t></si>')),
    /a text longer than|grows more than 100 times/,
  ],
  'a shared text of megabytes': [book(strings('<si><t>', noise(), '</t></si>')), /longer than/],
  'millions of shared texts': [book(strings(repeated('<si><t/></si>', 2_000_000))), tooLarge],
  'one long text in every cell': [
    book({
      ...strings(`<si><t>${'x'.repeat(32_000)}</t></si>`),
      ...sheet(repeated('<row><c t="s"><v>0</v></c></row>', 100_000)),
    }),
    tooLarge,
  ],
  'a sheet that ends too early': [book({ rows: joined(sheetHead, names) }), /not well-formed/],
  'a part that is missing': [book({}, { 'xl/_rels/workbook.xml.rels': '<a/>' }), /no sheet/],
});

/** Files that cannot be imported, each for its own reason. */
export async function hostileFiles(): Promise<HostileFile[]> {
  const files = [
    ...Object.entries(archives()),
    ...Object.entries(workbooks()).map(([what, file]) => [`${what}.xlsx`, file] as const),
  ];
  return Promise.all(
    files.map(async ([filename, [content, message]]) => ({ filename, content: await content, message })),
  );
}
