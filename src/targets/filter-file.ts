import { columnOf, type Field, type ListEntry } from '../fields/field.ts';
import { operandTypes } from '../fields/operand.ts';
import { foreignBytesFault, TableError, type TableRecord } from '../files/table.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { remembered } from '../platform/remembered.ts';
import { folded } from './filters/value-type.ts';

/** A file that a filter compares subscribers with, until an instant. */
export interface NeededFile {
  readonly filename: string;
  /** The column that it is compared with, `fld1`. */
  readonly dbFieldName: string;
  readonly until: Date;
}

/** What keeps a file from being used, for those who say it in another language. */
export type FileTrouble = 'field' | 'missing' | 'unreadable' | 'loading' | 'away';

/** What there is of such a file: its values in the database, or why there are none. */
export type FileState =
  | { readonly id: number; readonly nbValues: number; readonly nbBad: number }
  | { readonly fault: string; readonly trouble: FileTrouble };

export const fileKey = ({ filename, dbFieldName }: Omit<NeededFile, 'until'>) => `${dbFieldName} ${filename}`;

/** The field that a column name stands for. */
export function fieldOfColumn(fields: ReadonlyMap<number, Field>, column: string): Field | undefined {
  const id = /^fld(0|[1-9]\d{0,8})$/.exec(column)?.[1];
  return id === undefined ? undefined : fields.get(Number(id));
}

/** Longer values could not be in the index. */
const maxValueLength = 500;

/** How values of a file are compared with a field: both sides as one text. */
export interface FileComparison {
  /** A value of the file as text for COPY, or undefined when the field can hold none like it. */
  read(cell: string, field: Field): string | undefined;
  /** That text as it is kept, in SQL over the staged one. */
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
/** Keys by the names in lower case; of two like-named the first. A file of millions looks through no list. */
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

/** Fields that a file can be compared with: no dates, which files write in any way, and no yes and no. */
export function comparisonOf(field: Pick<Field, 'id' | 'fieldType'>): FileComparison | undefined {
  if (field.id === 1) return email;
  return { Text: text, Integer: integer, List: list, Date: undefined, Boolean: undefined }[field.fieldType];
}

/** What is counted while a file is read. */
export interface FileTally {
  nbBad: number;
}

/**
 * The values of a file's first column, without those that the field cannot hold. A first line that does not fit is
 * taken for the column's name.
 * @throws TableError for a line that cannot be read: who is in it nobody knows, and a list that is used without
 * them writes to too few, or, taken out of an audience, to too many.
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

/** What is between the columns of a file, by its first record as read with `;`: that, a tab, or a comma. */
export function delimiterOf(first: TableRecord | undefined): string {
  const { cells = [] } = first ?? {};
  if (cells.length > 1) return ';';
  return ['\t', ','].find((one) => cells[0]?.includes(one)) ?? ';';
}
