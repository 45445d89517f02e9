import { isDeepStrictEqual } from 'node:util';
import { type Field, nameOf } from '../fields/field.ts';
import { holdFields, listFields } from '../fields/field-store.ts';
import type { DbValue } from '../fields/field-value.ts';
import { shown, type TableRecord } from '../files/table.ts';
import { copyLine } from '../platform/db/copy-line.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { invalid, Refusal } from '../platform/http/refusal.ts';
import { type CellReader, cellReader, keyReader } from './cell.ts';
import type { ImportSettings, Mapping } from './import-settings.ts';

/** Why an import cannot run at all: its state becomes PackageErrorCreation, with this text. */
export class ImportCannotStart extends Error {
  /** The text without what is in the file: a line taken for the names of columns may be of people. */
  readonly rule: string;

  /** @param found what is in the file instead. */
  constructor(rule: string, found?: string) {
    super(found === undefined ? rule : `${rule}: it has ${found}`);
    this.rule = rule;
  }
}

interface FileColumn {
  readonly field: Field;
  readonly index: number;
  /** The column's name, or its number from 1. */
  readonly label: string;
  readonly read: CellReader;
}

/** The plan for each row of one file with its columns. */
export interface ImportPlan {
  readonly key: Field;
  /** Fields that come from the file, the key among them. */
  readonly columns: readonly FileColumn[];
  readonly constants: readonly { readonly field: Field; readonly value: DbValue }[];
  readonly width: number;
}

/**
 * Brings settings, the site's fields and the file's columns together.
 * @param names the cells of the first line: the columns' names when the file has them
 * @param at the time of the import
 * @throws ImportCannotStart that names what does not fit.
 */
export function planImport(
  settings: ImportSettings,
  fields: ReadonlyMap<number, Field>,
  names: readonly string[],
  at: Date,
): ImportPlan {
  const fieldOf = (id: number) => {
    const field = fields.get(id);
    if (!field) throw new ImportCannotStart(`Unknown field fld${id}`);
    return field;
  };
  const key = fields.get(settings.idKeyField);
  if (!key)
    throw new ImportCannotStart(
      `keyDbFieldName: the key fld${settings.idKeyField} is unknown; name a field of the site`,
    );
  // Only unique system fields can distinguish subscribers.
  if (
    ![0, 1, 43].includes(key.id) &&
    (key.isSystem || (key.fieldType !== 'Text' && key.fieldType !== 'Integer'))
  ) {
    throw new ImportCannotStart(
      `${nameOf(key)} cannot be the key: fld0, fld1, fld43 or a custom Text or Integer field can`,
    );
  }
  const columns: FileColumn[] = [];
  const constants: { field: Field; value: DbValue }[] = [];
  for (const mapping of settings.mappings) {
    const field = fieldOf(mapping.idField);
    if (mapping.mode === 'column') columns.push(fileColumn(settings, mapping, field, names, key));
    else constants.push({ field, value: constantOf(mapping, field, at) });
  }
  return { key, columns, constants, width: names.length };
}

/** A field changed while the file was read: the rows must be read again by the new rules. */
export class FieldsChanged extends Error {}

/** Holds the fields as the rows were read by; from here on a change of a field waits for the transaction's end. */
export async function checkFields(tx: SiteDb, { columns, constants }: ImportPlan): Promise<void> {
  const known = new Map((await holdFields(tx)).map((field) => [field.id, field]));
  for (const { field } of [...columns, ...constants]) {
    const now = known.get(field.id);
    const rules = (one: typeof field | undefined) => [one?.fieldType, one?.length, one?.list];
    if (!isDeepStrictEqual(rules(now), rules(field)))
      throw new FieldsChanged(`Field ${field.id} has changed`);
  }
}

/** Checks formats; fields that do not exist yet are left to the run. @throws 400 for a format that does not fit */
export async function checkFormats(settings: ImportSettings, db: SiteDb): Promise<void> {
  const fields = new Map((await listFields(db)).map((field) => [field.id, field]));
  for (const mapping of settings.mappings) {
    const field = fields.get(mapping.idField);
    if (field && mapping.mode !== 'time') readerOf(field, mapping.format);
  }
}

function readerOf(field: Field, format: string): CellReader {
  try {
    return cellReader(field, format);
  } catch (error) {
    throw error instanceof Refusal ? invalid(`parameters.columnMapping: ${error.message}`) : error;
  }
}

function fileColumn(
  settings: ImportSettings,
  mapping: Extract<Mapping, { mode: 'column' }>,
  field: Field,
  names: readonly string[],
  key: Field,
): FileColumn {
  const index = settings.hasNames
    ? placeOfName(mapping.column, names)
    : placeOfNumber(mapping.column, names.length);
  if (index < 0) {
    const there = settings.hasNames ? names.slice(0, maxNamed).map(shown).join(', ') : `1 to ${names.length}`;
    const more = settings.hasNames && names.length > maxNamed ? ', …' : '';
    throw new ImportCannotStart(`The file has no column ${mapping.column}`, `${there}${more}`);
  }
  return {
    field,
    index,
    label: settings.hasNames ? shown((names[index] ?? '').trim()) : String(index + 1),
    read: orCannotStart(() => (field === key ? keyReader(field) : cellReader(field, mapping.format))),
  };
}

const maxNamed = 20;

function placeOfName(name: string, names: readonly string[]): number {
  const plain = (text: string) => text.trim().normalize('NFC');
  const known = names.map(plain);
  const exact = onlyPlace(known, plain(name));
  if (exact >= 0) return exact;
  return onlyPlace(
    known.map((one) => one.toLowerCase()),
    plain(name).toLowerCase(),
  );
}

/** With two columns of one name, it is unclear which is meant. */
function onlyPlace(names: readonly string[], name: string): number {
  const first = names.indexOf(name);
  const again = first < 0 ? -1 : names.indexOf(name, first + 1);
  if (again >= 0)
    throw new ImportCannotStart(
      `The file has the column ${shown(name)} twice, as column ${first + 1} and ${again + 1}`,
    );
  return first;
}

/** Without names a column is named by its number, from 1. */
function placeOfNumber(text: string, width: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number <= width ? number - 1 : -1;
}

function constantOf(mapping: Exclude<Mapping, { mode: 'column' }>, field: Field, at: Date): DbValue {
  if (mapping.mode === 'fixed') return orCannotStart(() => cellReader(field, mapping.format)(mapping.value));
  if (field.fieldType !== 'Date')
    throw new ImportCannotStart(`${nameOf(field)}: only a Date takes the time of the import`);
  return at;
}

function orCannotStart<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? new ImportCannotStart(error.message) : error;
  }
}

/** A row as a line for COPY, or why it is refused. */
export type ReadRow =
  | { readonly line: string }
  | { readonly fault: string; readonly isBadlyFormatted: boolean };

/** The column of the staging table that holds a row's number is as wide as this. */
const lastLine = 2 ** 31 - 1;

/** Reads one row: its number, then the values of the plan's columns in their order. */
export function readRow(plan: ImportPlan, { line, cells, special }: TableRecord): ReadRow {
  if (line > lastLine)
    return {
      fault: `is below line ${lastLine}, the last one that can be imported`,
      isBadlyFormatted: true,
    };
  if (cells.length !== plan.width) {
    return { fault: `has ${cells.length} columns instead of ${plan.width}`, isBadlyFormatted: true };
  }
  let at: FileColumn | undefined;
  try {
    const values: DbValue[] = [line];
    for (const column of plan.columns) {
      at = column;
      values.push(column.read(cells[column.index] ?? '', special?.get(column.index)));
    }
    return { line: copyLine(values) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The sender knows the columns of the file, and perhaps no field.
    return { fault: `column ${at?.label}, ${error.message}`, isBadlyFormatted: false };
  }
}
