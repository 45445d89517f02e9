import { type Field, nameOf } from '../fields/field.ts';
import { type DbValue, parseValue } from '../fields/field-value.ts';
import { invalid } from '../platform/http/refusal.ts';
import { normaliseEmail } from '../subscribers/email-address.ts';
import { dateReader } from './date-format.ts';

/** A cell's text as the value of its field. @throws 400 that names the field and the rule. */
export type CellReader = (cell: string) => DbValue;

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
  return (cell) => {
    const text = cell.trim();
    return text === '' ? parseValue(field, null) : read(text);
  };
}

/** The key's own: it can never be empty. */
export function keyReader(field: Field): CellReader {
  const read = cellReader(field, '');
  return (cell) => {
    const value = read(cell);
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
  Text: (field) => (text) => parseValue(field, normalised(text)),
  // A plus sign is what spreadsheets write before phone numbers and amounts.
  Integer: (field) => (text) => parseValue(field, text.startsWith('+') ? text.slice(1) : text),
  Date: dateCell,
  Boolean: booleanCell,
  List: listCell,
};

/** Plain ASCII, most of all text, is in NFC already. */
function normalised(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : text.normalize('NFC');
}

function dateCell(field: Field, format: string): CellReader {
  const read = dateReader(format);
  if (!read)
    throw invalid(`${nameOf(field)}: the format ${format} does not name day, month and year once each`);
  const expected = format === '' ? 'ISO 8601' : format;
  return (text) => {
    const date = read(text);
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
  const fold = (text: string) => (kind === 'KEY' ? text : normalised(text).toLowerCase());
  const keys = new Map(
    (field.list ?? []).map(({ key, value }) => [fold(kind === 'KEY' ? String(key) : value.trim()), key]),
  );
  return (text) => {
    const key = keys.get(fold(text));
    if (key === undefined) throw invalid(`${nameOf(field)}: must be a ${kind.toLowerCase()} of its list`);
    return key;
  };
}
