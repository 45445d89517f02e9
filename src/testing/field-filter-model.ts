import type { Field } from '../fields/field.ts';
import type { FieldOperatorName } from '../fields/field-operator.ts';
import { parisDayNumber, parisTime } from './paris-model.ts';

/** The values of a subscriber's fields, by field id. */
export type Row = ReadonlyMap<number, string | number | boolean | Date | null>;

export interface Entry {
  readonly idField: number;
  readonly operator: FieldOperatorName;
  readonly value: string | null;
}

/**
 * Whether one entry of a field filter selects a row: what the words of the rules mean, in plain TypeScript, with
 * nothing taken from the code that makes SQL of them. Dates are compared as Paris wall times in text, so values within
 * the hour that occurs twice in autumn are outside the model.
 */
export function selects(entry: Entry, field: Field, row: Row, now: Date): boolean {
  const held = row.get(field.id) ?? null;
  const isEmpty = held === null;
  const value = entry.value ?? '';
  const values = value.split(';');
  const compare = (other: string) => order(held, other, field);
  switch (entry.operator) {
    case 'HasValue':
      return !isEmpty;
    case 'HasNoValue':
      return isEmpty;
    case 'NotEqual':
      return isEmpty || compare(value) !== 0;
    case 'NotIn':
      return isEmpty || values.every((one) => compare(one) !== 0);
    case 'NotContains':
      return isEmpty || !fold(String(held)).includes(fold(value));
  }
  if (isEmpty) return false;
  switch (entry.operator) {
    case 'Equal':
      return compare(value) === 0;
    case 'Greater':
      return compare(value) > 0;
    case 'GreaterOrEqual':
      return compare(value) >= 0;
    case 'Less':
      return compare(value) < 0;
    case 'LessOrEqual':
      return compare(value) <= 0;
    case 'Between':
      return compare(values[0]!) >= 0 && compare(values[1]!) <= 0;
    case 'In':
      return values.some((one) => compare(one) === 0);
    case 'Contains':
      return fold(String(held)).includes(fold(value));
    case 'StartsWith':
      return fold(String(held)).startsWith(fold(value));
    case 'EndsWith':
      return fold(String(held)).endsWith(fold(value));
  }
  const days = parisDayNumber(held as Date) - parisDayNumber(now);
  switch (entry.operator) {
    case 'LastDays':
      return days <= 0 && days >= -Number(value);
    case 'NextDays':
      return days >= 0 && days <= Number(value);
    case 'BeforeDaysAgo':
      return days < -Number(value);
    case 'Anniversary':
      return days < 0 && isAnniversary(parisTime(held as Date), parisTime(now));
  }
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

/** Good for the letters that the test draws from; PostgreSQL's dictionary knows more. */
/** Text as filters compare it. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function isAnniversary(held: string, today: string): boolean {
  const [day, now] = [held.slice(5, 10), today.slice(5, 10)];
  const isLeapYear = new Date(Date.UTC(Number(today.slice(0, 4)), 1, 29)).getUTCMonth() === 1;
  return day === now || (day === '02-29' && now === '02-28' && !isLeapYear);
}
