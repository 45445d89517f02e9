import type { Field } from '../fields/field.ts';
import type { FieldOperatorName } from '../fields/field-operator.ts';

/** The values of a subscriber's fields, by field id. */
export type Row = ReadonlyMap<number, string | number | boolean | Date | null>;

export interface Entry {
  readonly idField: number;
  readonly operator: FieldOperatorName;
  readonly value: string | null;
}

/** Operators that select exactly the rows that another one does not, with those without a value. */
const opposites: Partial<Record<FieldOperatorName, FieldOperatorName>> = {
  HasNoValue: 'HasValue',
  NotEqual: 'Equal',
  NotIn: 'In',
  NotContains: 'Contains',
};

/**
 * Whether one entry of a field filter selects a row: what the words of the rules mean, in plain TypeScript, with
 * nothing taken from the code that makes SQL of them. Dates are compared as Paris wall times in text, so values within
 * the hour that occurs twice in autumn are outside the model.
 */
export function selects(entry: Entry, field: Field, row: Row, now: Date): boolean {
  const opposite = opposites[entry.operator];
  if (opposite) return !selects({ ...entry, operator: opposite }, field, row, now);
  const held = row.get(field.id) ?? null;
  if (held === null) return false;
  const value = entry.value ?? '';
  const values = value.split(';');
  const compare = (other: string) => order(held, other, field);
  const [text, part] = [fold(String(held)), fold(value)];
  const days = () => parisDayNumber(held as Date) - parisDayNumber(now);
  const rules: Partial<Record<FieldOperatorName, () => boolean>> = {
    HasValue: () => true,
    Equal: () => compare(value) === 0,
    Greater: () => compare(value) > 0,
    GreaterOrEqual: () => compare(value) >= 0,
    Less: () => compare(value) < 0,
    LessOrEqual: () => compare(value) <= 0,
    Between: () => compare(values[0]!) >= 0 && compare(values[1]!) <= 0,
    In: () => values.some((one) => compare(one) === 0),
    Contains: () => text.includes(part),
    StartsWith: () => text.startsWith(part),
    EndsWith: () => text.endsWith(part),
    LastDays: () => days() <= 0 && days() >= -Number(value),
    NextDays: () => days() >= 0 && days() <= Number(value),
    BeforeDaysAgo: () => days() < -Number(value),
    Anniversary: () => days() < 0 && isAnniversary(parisTime(held as Date), parisTime(now)),
  };
  return rules[entry.operator]!();
}

/** Negative, zero or positive as the held value comes before, with or after the other. */
function order(held: unknown, other: string, field: Field): number {
  switch (field.fieldType) {
    case 'Text':
      return sign(fold(String(held)), fold(other));
    case 'Date':
      // A day compares with days, a minute with minutes.
      return sign(parisTime(held as Date).slice(0, other.length), other);
    case 'Boolean':
      return Number(held) - (other === 'true' || other === '1' ? 1 : 0);
    default:
      return sign(BigInt(held as number), BigInt(other));
  }
}

function sign<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Text as filters compare it: good for the letters that the test draws from; PostgreSQL's dictionary knows more. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function isAnniversary(held: string, today: string): boolean {
  const [day, now] = [held.slice(5, 10), today.slice(5, 10)];
  const isLeapYear = new Date(Date.UTC(Number(today.slice(0, 4)), 1, 29)).getUTCMonth() === 1;
  return day === now || (day === '02-29' && now === '02-28' && !isLeapYear);
}

const paris = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Paris',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** `2026-11-20T10:30:00`, what clocks in Paris show. */
function parisTime(at: Date): string {
  return paris.format(at).replace(' ', 'T');
}

/** Days since 1970 of the calendar in Paris. */
export function parisDayNumber(at: Date): number {
  return Date.parse(`${parisTime(at).slice(0, 10)}T00:00:00Z`) / 86_400_000;
}

/** Weeks since 1970, each beginning on a Monday in Paris; 1 January 1970 was a Thursday. */
export function parisWeekNumber(at: Date): number {
  return Math.floor((parisDayNumber(at) + 3) / 7);
}
