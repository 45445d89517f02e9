import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** A zip archive of these contents, whole. */
export async function zipOf(
  contents: Readonly<Record<string, string | Buffer | (() => Readable)>>,
): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(contents)) {
    if (typeof content === 'function') {
      zip.addReadStreamLazy(name, (done) => done(null, content()));
    } else zip.addBuffer(Buffer.from(content), name);
  }
  zip.end();
  return buffer(zip.outputStream as Readable);
}

const open = 'http://schemas.openxmlformats.org';
const main = `xmlns="${open}/spreadsheetml/2006/main"`;
const relations = `xmlns="${open}/package/2006/relationships"`;
const officeType = `${open}/officeDocument/2006/relationships`;
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The differences between workbooks of tests. */
export interface WorkbookOf {
  /** Elements `row`, or a stream of the whole part. */
  readonly rows: string | (() => Readable);
  /** Elements `si`, or a stream of the whole part. */
  readonly strings?: string | (() => Readable);
  /** Elements `numFmt`. */
  readonly formats?: string;
  /** Elements `xf`, in the order of the cells' styles. */
  readonly styles?: string;
  readonly properties?: string;
  readonly sheets?: readonly string[];
}

export const sheetHead = `${declaration}<worksheet ${main}><sheetData>`;
export const sheetTail = '</sheetData></worksheet>';
export const stringsHead = `${declaration}<sst ${main}>`;
export const stringsTail = '</sst>';

/** The parts of a workbook as small as one can be; every sheet beside the first one is empty. */
export function workbookParts(of: WorkbookOf): Record<string, string | (() => Readable)> {
  const { rows, strings, sheets = ['Sheet1'] } = of;
  const sheetTags = sheets.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const links = sheets.map((_, i) => relation(`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`));
  const others = sheets.slice(1).map((_, i) => [`xl/worksheets/sheet${i + 2}.xml`, sheetHead + sheetTail]);
  return {
    '[Content_Types].xml': `${declaration}<Types xmlns="${open}/package/2006/content-types"/>`,
    '_rels/.rels': rels([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml':
      `${declaration}<workbook ${main} xmlns:r="${officeType}"><workbookPr ${of.properties ?? ''}/>` +
      `<sheets>${sheetTags.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': rels([
      ...links,
      relation('rIdS', 'styles', 'styles.xml'),
      ...(strings === undefined ? [] : [relation('rIdT', 'sharedStrings', '/xl/sharedStrings.xml')]),
    ]),
    'xl/styles.xml':
      `${declaration}<styleSheet ${main}><numFmts>${of.formats ?? ''}</numFmts>` +
      `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
      `<cellXfs>${of.styles ?? '<xf numFmtId="0"/>'}</cellXfs></styleSheet>`,
    ...(strings !== undefined && {
      'xl/sharedStrings.xml': typeof strings === 'string' ? stringsHead + strings + stringsTail : strings,
    }),
    'xl/worksheets/sheet1.xml': typeof rows === 'string' ? sheetHead + rows + sheetTail : rows,
    ...Object.fromEntries(others),
  };
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${officeType}/${type}" Target="${target}"/>`;
const rels = (all: readonly string[]) =>
  `${declaration}<Relationships ${relations}>${all.join('')}</Relationships>`;

/** A row of texts, written in the sheet itself. */
export function textRow(line: number, cells: readonly string[]): string {
  const tags = cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`);
  return `<row r="${line}">${tags.join('')}</row>`;
}
