import { invalid } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { isWellFormed } from '../platform/well-formed.ts';
import { type Field, type ListEntry, nameOf } from './field.ts';

/** A field's value for PostgreSQL. Integers past 2^53, and all those of `selectOf`, are decimal text. */
export type DbValue = string | number | boolean | Date | null;

/** Bounds of the system's own integers, which the table enforces too; none of them can be empty. */
const bounds = new Map<number, readonly [number, number]>([
  [7, [0, 1]],
  [44, [0, 3]],
]);

/** The smallest and the largest whole number of 64 bits. */
export const int64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Whether a text is a whole number of 64 bits. */
export const isInt64 = (text: string): boolean =>
  /^-?\d{1,19}$/.test(text) && BigInt(text) >= int64[0] && BigInt(text) <= int64[1];

/** Normalises a text for storage: trimmed, no-break spaces included, and in NFC, so that equal texts are equal. */
export function normaliseText(text: string): string {
  const trimmed = text.trim();
  // Most texts are plain ASCII, which is in NFC.
  return /^[\0-\x7f]*$/.test(trimmed) ? trimmed : trimmed.normalize('NFC');
}

/**
 * A JSON value as the field's column takes it; null empties it, and so does a blank text. Texts are normalised.
 * The email address (field 1) is only checked as a text here: see platform/email-address.
 * @throws 400 that names the field and the rule.
 */
export function parseValue(field: Field, json: unknown): DbValue {
  const text = typeof json === 'string' ? normaliseText(json) : undefined;
  const given = field.fieldType === 'Text' ? (text ?? json) : json;
  const value = json === null || text === '' ? null : parsers[field.fieldType](field, given);
  if (value === null && bounds.has(field.id)) throw misfit(field, 'cannot be emptied');
  return value;
}

/** A value read through `selectOf`, or kept as JSON in the archive, as the API shows it. */
export function showValue(field: Pick<Field, 'fieldType'>, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (field.fieldType === 'Date') return value instanceof Date ? value.toISOString() : value;
  if (field.fieldType !== 'Integer') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

type Parser = (field: Field, json: unknown) => DbValue;

const parsers: Record<Field['fieldType'], Parser> = {
  Text: parseText,
  Integer: parseInteger,
  Date: parseDate,
  Boolean: parseBoolean,
  List: parseKey,
};

function misfit(field: Field, rule: string) {
  return invalid(`${nameOf(field)}: ${rule}`);
}

function parseText(field: Field, json: unknown): DbValue {
  if (typeof json !== 'string') throw misfit(field, 'must be a string');
  if (!isWellFormed(json)) throw misfit(field, 'must be well-formed Unicode without NUL');
  const length = field.length ?? 0;
  // UTF-16 units are never fewer than characters, so the common case needs no counting.
  if (json.length > length && characters(json, length) > length)
    throw misfit(field, `must have at most ${length} characters`);
  if (field.id !== 41) return json;
  if (!/^[a-z]{2}$/i.test(json)) throw misfit(field, 'must be a country code of two letters (ISO 3166-1)');
  return json.toUpperCase();
}

/** Characters (code points, as PostgreSQL counts) of a text, counted no further than one past `enough`. */
function characters(text: string, enough: number): number {
  let count = 0;
  for (const _ of text) if (++count > enough) break;
  return count;
}

function parseInteger(field: Field, json: unknown): DbValue {
  const value = integerOf(json);
  if (value === undefined)
    throw misfit(field, 'must be a whole number of 64 bits (past 2^53 as decimal text)');
  const [min, max] = bounds.get(field.id) ?? int64;
  if (value < min || value > max) throw misfit(field, `must be from ${min} to ${max}`);
  return String(value);
}

function integerOf(json: unknown): bigint | undefined {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  if (typeof json !== 'string' || !/^-?\d{1,19}$/.test(json)) return undefined;
  return BigInt(json);
}

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:[Zz]|[+-](\d\d):?(\d\d))$/;

function parseDate(field: Field, json: unknown): DbValue {
  const date = typeof json === 'string' ? instantOf(json) : undefined;
  if (!date)
    throw misfit(
      field,
      'must be an ISO 8601 date-time with an offset, for example 2026-01-31T09:30:00+01:00',
    );
  return date;
}

/** The instant of an ISO 8601 date-time of the years 1 to 9999, or undefined when there is no such instant. */
export function instantOf(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second, offsetHours, offsetMinutes] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  // Date.parse takes 31 February for 3 March, so the parts are checked by themselves.
  const isRight =
    year! >= 1 &&
    month! >= 1 &&
    month! <= 12 &&
    day! >= 1 &&
    day! <= daysOf(year!, month!) &&
    hour! <= 23 &&
    minute! <= 59 &&
    second! <= 59 &&
    offsetHours! <= 15 &&
    offsetMinutes! <= 59;
  if (!isRight) return undefined;
  const date = new Date(
    text
      .replace(' ', 'T')
      .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
      .toUpperCase(),
  );
  const at = date.getTime();
  return at >= firstInstant && at < lastInstant ? date : undefined;
}

// An offset can carry an instant out of the years that ISO 8601 writes with four digits.
const firstInstant = Date.parse('0001-01-01T00:00:00Z');
const lastInstant = Date.parse('+010000-01-01T00:00:00Z');

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC((year % 400) + 2000, month, 0)).getUTCDate();
}

function parseBoolean(field: Field, json: unknown): DbValue {
  if (field.id === 8) {
    if (json === 0 || json === 1) return json;
    if (typeof json === 'boolean') return Number(json);
    throw misfit(field, 'must be 0 or 1');
  }
  if (typeof json !== 'boolean') throw misfit(field, 'must be true or false');
  return json;
}

/** The keys of a list. A call may give hundreds of thousands of them: none looks through ten thousand entries. */
export const keysOf = remembered(
  (list: readonly Pick<ListEntry, 'key'>[]): ReadonlySet<number> => new Set(list.map(({ key }) => key)),
);

function parseKey(field: Field, json: unknown): DbValue {
  if (typeof json === 'number' && field.list && keysOf(field.list).has(json)) return json;
  throw misfit(field, 'must be a key of its list');
}
