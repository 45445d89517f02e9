import { type Field, nameOf } from '../fields/field.ts';
import { type DbValue, int64, isInt64, normaliseText, parseValue } from '../fields/field-value.ts';
import { type SpecialCell, shown } from '../files/table.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { invalid } from '../platform/http/refusal.ts';
import { dateReader, readIso } from './date-format.ts';

/** Converts a cell to its field's value; `special` is a sheet's extra data. @throws 400 naming field and rule */
export type CellReader = (cell: string, special?: SpecialCell) => DbValue;

const trueWords: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'oui', 'vrai', 'y', 'o']);
const falseWords: ReadonlySet<string> = new Set(['0', 'false', 'no', 'non', 'faux', 'n']);

/**
 * The reader of one field's cells. Spaces around, non-breaking ones too, are cut off, text is brought into NFC, an
 * empty cell empties the value. The rules of values are those of the fields slice.
 * @param format of a date (`dd/MM/yyyy HH:mm`), or `KEY` or `VALUE` for a List; '' for the usual one.
 * @throws 400 for a format that does not fit the field.
 */
export function cellReader(field: Field, format: string): CellReader {
  const read = readers[field.fieldType](field, format);
  if (field.id === 1) return emailOf;
  return (cell, special) => {
    const text = normaliseText(cell);
    if (special === 'error') throw invalid(`${nameOf(field)}: ${failed(text)}`);
    return text === '' ? parseValue(field, null) : read(text, special);
  };
}

/** The reason why a sheet's formula has no value. */
const failed = (text: string) => (text === '' ? 'a formula without its result' : `the error ${shown(text)}`);

/** The key's own: it can never be empty. */
export function keyReader(field: Field): CellReader {
  const read = cellReader(field, '');
  return (cell, special) => {
    const value = read(cell, special);
    if (value === null) throw invalid(`${nameOf(field)}: the key is empty`);
    return value;
  };
}

function emailOf(cell: string): DbValue {
  const email = normaliseEmail(cell.normalize('NFC'));
  if (!email)
    throw invalid(cell.trim() === '' ? 'Field 1 (Email): is empty' : 'Field 1 (Email): not an email address');
  return email;
}

type Maker = (field: Field, format: string) => CellReader;

const readers: Record<Field['fieldType'], Maker> = {
  Text: (field) => (text) => parseValue(field, text),
  Integer: integerCell,
  Date: dateCell,
  Boolean: booleanCell,
  List: listCell,
};

function integerCell(field: Field): CellReader {
  return (text) => {
    // A plus sign is what spreadsheets write before phone numbers and amounts.
    const number = text.startsWith('+') ? text.slice(1) : text;
    if (isInt64(number)) return parseValue(field, number);
    const range = /^-?\d+$/.test(number) ? ` from ${int64[0]} to ${int64[1]}` : '';
    throw invalid(`${nameOf(field)}: must be a whole number${range}`);
  };
}

function dateCell(field: Field, format: string): CellReader {
  const read = dateReader(format);
  if (!read)
    throw invalid(
      `${nameOf(field)}: the format ${format} must name day, month and year once each, of the parts yyyy, yy, MM, M, ` +
        'dd, d, HH, H, mm, ss',
    );
  const expected = format === '' ? 'ISO 8601' : format;
  // What begins with the year could be ISO 8601 with day and month the other way round.
  const isNeverIso = !format.startsWith('y');
  return (text, special) => {
    // A real date of a sheet has no format of its own; the file of rejected rows has it as ISO 8601.
    const date =
      special === 'date' ? readIso(text) : (read(text) ?? (isNeverIso ? readIso(text) : undefined));
    if (!date) throw invalid(`${nameOf(field)}: not a date of the format ${expected}`);
    return date;
  };
}

function booleanCell(field: Field): CellReader {
  return (text) => {
    const word = text.toLowerCase();
    if (trueWords.has(word)) return parseValue(field, true);
    if (falseWords.has(word)) return parseValue(field, false);
    throw invalid(`${nameOf(field)}: must be 1 or 0, true or false`);
  };
}

function listCell(field: Field, format: string): CellReader {
  const kind = format.toUpperCase() || 'KEY';
  if (kind !== 'KEY' && kind !== 'VALUE')
    throw invalid(`${nameOf(field)}: the format of a List is KEY or VALUE`);
  const find = kind === 'KEY' ? keyFinder(field, (key) => String(key)) : valueFinder(field);
  return (text) => {
    const key = find(text);
    if (key === undefined) throw invalid(`${nameOf(field)}: must be a ${kind.toLowerCase()} of its list`);
    if (key === 'several')
      throw invalid(
        `${nameOf(field)}: several keys of its list have this value: use the format KEY to distinguish them`,
      );
    return key;
  };
}

type KeyFinder = (text: string) => number | 'several' | undefined;

/** Finds the key of a list's value: exactly as written, otherwise ignoring case. */
function valueFinder(field: Field): KeyFinder {
  const exact = keyFinder(field, (_, value) => normaliseText(value));
  const folded = keyFinder(field, (_, value) => normaliseText(value).toLowerCase());
  return (text) => exact(text) ?? folded(text.toLowerCase());
}

function keyFinder({ list }: Field, textOf: (key: number, value: string) => string): KeyFinder {
  const keys = new Map<string, number | 'several'>();
  for (const { key, value } of list ?? []) {
    const text = textOf(key, value);
    keys.set(text, keys.has(text) ? 'several' : key);
  }
  return (text) => keys.get(text);
}
