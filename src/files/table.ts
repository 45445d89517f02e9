/** The kind of a cell that its text alone does not show: a real date, or the mark of a formula that failed. */
export type SpecialCell = 'date' | 'error';

/** One row of a table file, whatever the kind of the file. */
export interface TableRecord {
  /** Line of the file on which the record begins, from 1; its number, when rows do not end with lines. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the record cannot be used. Its cells are then what could be made out, for a report. */
  readonly fault?: string;
  /** For a sheet: the places of cells that are not plain text. The text of a date is ISO 8601, Paris time. */
  readonly special?: ReadonlyMap<number, SpecialCell>;
}

/** A file that cannot be read as a table at all; the message is for its sender. */
export class TableError extends Error {}

/** The file was changed while it was read, so the data may be incomplete. The next attempt may read a complete file. */
export class ChangingFile extends TableError {
  constructor(filename: string) {
    super(`The file ${filename} is being written; try again when it is whole`);
  }
}

/** Characters of one record; longer ones are faulty, which bounds memory whatever the file holds. */
export const maxRecordLength = 1024 * 1024;
export const foreignBytesFault = 'holds bytes that are not in the code page';
export const tooLongFault = `is longer than ${maxRecordLength} characters`;

/** Maximum cells of a sheet's row, to which short rows are filled up. A table of the database has fewer columns. */
export const maxWidth = 2_000;

/** A text of a file as a message can show it: on one line, without what a terminal would obey, and not too long. */
export function shown(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\ufffd');
  return plain.length > 100 ? `${plain.slice(0, 100)}…` : plain;
}
