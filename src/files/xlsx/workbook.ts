import { shown, TableError } from '../table.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { kindOfBuiltIn, kindOfCode, type NumberKind } from './number-format.ts';
import { readXml } from './xml-reader.ts';

interface Relation {
  readonly type: string;
  readonly target: string;
}

const maxPartBytes = 16 * 1024 ** 2;
const maxStyles = 65_536;
const maxSheets = 10_000;

/** Whether an archive is a workbook, of whatever name. @throws TableError for one of another kind of program */
export function isWorkbook(archive: ZipArchive): boolean {
  if (archive.has('xl/workbook.bin')) throw new TableError('The file is an .xlsb workbook: save it as XLSX');
  if (archive.has('content.xml') && archive.has('mimetype')) {
    throw new TableError('The file is an OpenDocument file: save it as XLSX or CSV');
  }
  return archive.has('[Content_Types].xml') && archive.has('_rels/.rels');
}

/**
 * Finds a sheet, '' for the first that is not hidden, its parts, and the names of all sheets.
 * @throws TableError that names the sheets
 */
export async function openWorkbook(archive: ZipArchive, sheetName: string) {
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined || !archive.has(main)) throw new TableError('The file does not contain a workbook');
  const { sheets, has1904 } = await readMain(archive, main);
  const relations = await relationsOf(archive, main);
  const wanted = sheets.filter(({ id }) => relations.get(id)?.type === 'worksheet');
  const found = sheetOf(wanted, sheetName);
  const partOf = (kind: string) => relations.find(({ type }) => type === kind)?.target;
  const styles = partOf('styles');
  return {
    sheet: relations.get(found.id)!.target,
    sheetName: found.name,
    sheetNames: wanted.map(({ name }) => name),
    sharedStrings: partOf('sharedStrings'),
    // How numbers are meant, by the style of their cell.
    kinds: styles === undefined ? [] : await readStyles(archive, styles),
    // Whether days are counted from 1904, as on old Macs.
    has1904,
  };
}

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

function sheetOf(sheets: readonly Sheet[], name: string): Sheet {
  // A workbook's author sees only the sheets that are not hidden.
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0];
  if (!first) throw new TableError('The workbook has no sheet');
  if (name === '') return first;
  const plain = (text: string) => text.trim().normalize('NFC').toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === name) ?? sheets.find((one) => plain(one.name) === plain(name));
  if (found) return found;
  const names = sheets.slice(0, 20).map((sheet) => shown(sheet.name));
  const more = sheets.length > names.length ? ', …' : '';
  throw new TableError(`The workbook has no sheet ${shown(name)}: it has ${names.join(', ')}${more}`);
}

async function readMain(archive: ZipArchive, part: string): Promise<{ sheets: Sheet[]; has1904: boolean }> {
  const sheets: Sheet[] = [];
  let has1904 = false;
  await readXml(part, await archive.read(part, { maxBytes: maxPartBytes }), {
    open(name, attributes) {
      if (name === 'workbookPr') has1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      if (sheets.length === maxSheets) throw new TableError(`The workbook has more than ${maxSheets} sheets`);
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const isHidden = attributes.state !== undefined && attributes.state !== 'visible';
      sheets.push({ name: attributes.name ?? '', id: id ?? '', isHidden });
    },
    close: () => undefined,
  });
  return { sheets, has1904 };
}

/** The relations of a part ('' for the archive itself), by id, with targets as names in the archive. */
class Relations extends Map<string, Relation> {
  find(is: (relation: Relation) => boolean): Relation | undefined {
    return [...this.values()].find(is);
  }
}

async function relationsOf(archive: ZipArchive, part: string): Promise<Relations> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const own = `${folder}_rels/${part.slice(folder.length)}.rels`;
  const relations = new Relations();
  if (!archive.has(own)) return relations;
  await readXml(own, await archive.read(own, { maxBytes: maxPartBytes }), {
    open(name, { Id, Type = '', Target = '', TargetMode }) {
      // Targets outside the archive are never looked at.
      if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target: inArchive(folder, Target) });
    },
    close: () => undefined,
  });
  return relations;
}

/** A target as a name in the archive: relative to its part's folder, or from the root. */
function inArchive(folder: string, target: string): string {
  try {
    return decodeURIComponent(new URL(target, `zip:///${folder}`).pathname.slice(1));
  } catch {
    // What is no address is no name of a part either.
    return target;
  }
}

async function readStyles(archive: ZipArchive, part: string): Promise<NumberKind[]> {
  if (!archive.has(part)) return [];
  const codes = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let isInCells = false;
  await readXml(part, await archive.read(part, { maxBytes: maxPartBytes }), {
    open(name, { numFmtId, formatCode }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), kindOfCode(formatCode ?? ''));
      if (name === 'cellXfs') isInCells = true;
      if (name !== 'xf' || !isInCells) return;
      if (kinds.length === maxStyles)
        throw new TableError(`The workbook has more than ${maxStyles} cell styles`);
      const id = Number(numFmtId ?? 0);
      kinds.push(codes.get(id) ?? kindOfBuiltIn(id));
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return kinds;
}

export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';
