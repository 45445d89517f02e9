import type { components } from '../api/schema.d.ts';
import { type Field, fieldIds } from './fields.ts';

export type Subscriber = components['schemas']['Subscriber'];

export const fieldValue = ({ fields }: Subscriber, idField: number): unknown =>
  fields.find((field) => field.idField === idField)?.value ?? null;

/** The address of a subscriber, or the id of one without an address. */
export const addressOf = (subscriber: Subscriber): string =>
  String(fieldValue(subscriber, fieldIds.email) ?? subscriber.id);

/** Fields of the system that a user may correct; the others follow from what happened. */
const correctable: ReadonlySet<number> = new Set([1, 40, 41, 43]);

export const isCorrectable = (field: Field): boolean =>
  field.isSystem ? correctable.has(field.id) : field.isEditable;

/** Converts a typed text into the value that the service stores; an empty text empties the field. */
export function valueFrom(field: Field, typed: string): unknown {
  const text = typed.trim();
  if (text === '') return null;
  if (field.fieldType === 'Boolean') return text === 'true';
  if (field.fieldType === 'Date') return new Date(`${text}T00:00:00${parisOffset(text)}`).toISOString();
  if (field.fieldType === 'Text') return text;
  // Past 2^53 the service takes the digits.
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/** The text in the input for a stored value. */
export function typedFrom(field: Field, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (field.fieldType !== 'Date') return String(value);
  return new Date(String(value)).toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });
}

/** The offset of Paris on a day, for example +02:00: days of subscribers begin there. */
function parisOffset(day: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Paris', timeZoneName: 'longOffset' });
  const zone = parts.formatToParts(new Date(`${day}T00:00:00Z`)).find(({ type }) => type === 'timeZoneName');
  return zone?.value.replace('GMT', '') || '+00:00';
}
