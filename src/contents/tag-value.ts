import { remembered } from '../platform/remembered.ts';
import type { FieldValue, TagField } from './tag.ts';

const parisFormat = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/Paris',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Days by hour since 1970, when Paris may change its day: 30 ns instead of 1 µs of formatting. */
const daysByHour = new Map<number, string>();
const maxDays = 20_000;
const msPerHour = 3_600_000;

/** The day in Paris of an instant as yyyy-MM-dd; '' for an invalid date. */
export function parisDay(date: Date): string {
  const hour = Math.floor(date.getTime() / msPerHour);
  if (Number.isNaN(hour)) return '';
  const known = daysByHour.get(hour);
  if (known !== undefined) return known;
  if (daysByHour.size >= maxDays) daysByHour.clear();
  const parts = Object.fromEntries(parisFormat.formatToParts(date).map((part) => [part.type, part.value]));
  const day = `${parts.year!.padStart(4, '0')}-${parts.month}-${parts.day}`;
  daysByHour.set(hour, day);
  return day;
}

/** A date as readers see it: dd/MM/yyyy in Paris. */
export function showDate(date: Date): string {
  const [year, month, day] = parisDay(date).split('-');
  return day === undefined ? '' : `${day}/${month}/${year}`;
}

/** Whether a value is empty: null, or an empty text. */
export function isEmptyValue(value: FieldValue | undefined): value is null | undefined | '' {
  return value === null || value === undefined || value === '';
}

const wordsOf = remembered(
  (list: NonNullable<TagField['list']>): ReadonlyMap<number, string> =>
    new Map(list.map(({ key, value }) => [key, value])),
);

/** Returns how values are shown in messages: a List as its text, a Date as dd/MM/yyyy, a Boolean as 1 or 0. */
export function displayOf(field: TagField): (value: FieldValue | undefined) => string {
  const words = wordsOf(field.list ?? []);
  return (value) => {
    if (typeof value === 'string') return value;
    if (isEmptyValue(value)) return '';
    if (field.fieldType === 'List') return words.get(Number(value)) ?? '';
    if (value instanceof Date) return showDate(value);
    if (typeof value === 'boolean') return value ? '1' : '0';
    return String(value);
  };
}
