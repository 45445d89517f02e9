import { columnOf, type Field, type ListEntry } from '../../fields/field.ts';
import { operandTypes } from '../../fields/operand.ts';
import { foreignBytesFault, TableError, type TableRecord } from '../../files/table.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { normaliseEmail } from '../../platform/email-address.ts';
import { remembered } from '../../platform/remembered.ts';
import { folded } from './value-type.ts';

/** A file that a filter compares subscribers with, until an instant. */
export interface NeededFile {
  readonly filename: string;
  /** The column that the values are compared with, for example `fld1`. */
  readonly dbFieldName: string;
  readonly until: Date;
}

/** Why a file cannot be used; descriptions have words for it. */
export type FileTrouble = 'field' | 'missing' | 'unreadable' | 'loading' | 'away';

/** The state of a needed file: its values in the database, or why it cannot be used. */
export type FileState =
  | { readonly id: number; readonly nbValues: number; readonly nbBad: number }
  | { readonly fault: string; readonly trouble: FileTrouble };

export const fileKey = ({ filename, dbFieldName }: Omit<NeededFile, 'until'>) => `${dbFieldName} ${filename}`;

export function fieldOfColumn(fields: ReadonlyMap<number, Field>, column: string): Field | undefined {
  const id = /^fld(0|[1-9]\d{0,8})$/.exec(column)?.[1];
  return id === undefined ? undefined : fields.get(Number(id));
}

/** Maximum length of a value; longer ones do not fit into an index. */
const maxValueLength = 500;

/** How values of a file are compared with a field: both as text. */
export interface FileComparison {
  /** A value of the file as text for COPY; undefined if the field cannot have such a value. */
  read(cell: string, field: Field): string | undefined;
  /** The stored form of a staged value. */
  kept(staged: Sql): Sql;
  /** The subscriber's side. */
  column(field: Field): Sql;
}

const asIs = (staged: Sql) => staged;

const email: FileComparison = {
  read: (cell) => normaliseEmail(cell)?.toLowerCase(),
  kept: asIs,
  // The expression of the unique index on emails.
  column: (field) => sql`lower(${columnOf(field)})`,
};
const text: FileComparison = {
  read: (cell) => (cell.length <= maxValueLength ? cell.normalize('NFC') : undefined),
  kept: folded,
  column: (field) => folded(columnOf(field)),
};
const integer: FileComparison = {
  read: (cell, field) => operandTypes.Integer.normalise(cell, field),
  kept: asIs,
  column: (field) => sql`${columnOf(field)}::text`,
};
/** Keys by names in lower case; the first of equal names counts. A map, because a file may have millions of values. */
const keysByName = remembered(
  (list: readonly ListEntry[]): ReadonlyMap<string, number> =>
    new Map(list.toReversed().map(({ key, value }) => [value.toLowerCase(), key])),
);
const list: FileComparison = {
  ...integer,
  read(cell, field) {
    const key = operandTypes.List.normalise(cell, field);
    if (key !== undefined || !field.list) return key;
    return keysByName(field.list).get(cell.toLowerCase())?.toString();
  },
};

/** How a field is compared with a file; undefined for dates, which files write in many ways, and for Booleans. */
export function comparisonOf(field: Pick<Field, 'id' | 'fieldType'>): FileComparison | undefined {
  if (field.id === 1) return email;
  return { Text: text, Integer: integer, List: list, Date: undefined, Boolean: undefined }[field.fieldType];
}

/** Counts made while a file is read. */
export interface FileTally {
  nbBad: number;
}

/**
 * The values of a file's first column, without those that the field cannot have. A first line that does not fit is a
 * heading.
 * @throws TableError for a line that cannot be read: without it a list would select too few subscribers, or, as an
 * exclusion, too many.
 */
export function* valuesOf(records: Iterable<TableRecord>, field: Field, tally: FileTally): Generator<string> {
  const comparison = comparisonOf(field)!;
  for (const { line, cells, fault, special } of records) {
    if (fault) throw new TableError(faultText(line, fault));
    // A no-break space is white space to `trim`.
    const cell = (cells[0] ?? '').trim();
    if (cell === '') continue;
    const isValue = special?.get(0) !== 'error' && !cell.includes('\0');
    const value = isValue ? comparison.read(cell, field) : undefined;
    if (value !== undefined) yield value;
    else if (line > 1) tally.nbBad++;
  }
}

function faultText(line: number, fault: string): string {
  const advice = fault === foreignBytesFault ? ': save the file as UTF-8' : '';
  return `The file cannot be used: line ${line} ${fault}${advice}`;
}

/** The delimiter of a file, by its first record as read with `;`: that, a tab, or a comma. */
export function delimiterOf(first: TableRecord | undefined): string {
  const { cells = [] } = first ?? {};
  if (cells.length > 1) return ';';
  return ['\t', ','].find((one) => cells[0]?.includes(one)) ?? ';';
}
