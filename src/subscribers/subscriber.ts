import { type Field, isWritable, maxFieldsPerCall, nameOf } from '../fields/field.ts';
import { type DbValue, parseValue, showValue } from '../fields/field-value.ts';
import { normaliseEmail } from '../platform/email-address.ts';
import { invalid, Refusal } from '../platform/http/refusal.ts';
import { Closed, Id, IdOf, Int32, Maybe, type Static, Type } from '../platform/http/schema.ts';

/** Maximum number of subscribers in a call. */
export const maxPerCall = 5000;

const FieldValue = Closed('SubscriberField', {
  idField: IdOf('field', Int32('The id of the field, for example 1 for the email')),
  value: Type.Unknown({
    description:
      'Text a string, Integer a number (past 2^53 its digits as a string), Date an ISO 8601 date-time, Boolean ' +
      'true or false, List the key; null empties the field',
    examples: ['ada@example.com'],
  }),
});
const FieldValues = () => Type.Array(FieldValue, { maxItems: maxFieldsPerCall });
export type FieldValue = Static<typeof FieldValue>;

export const Subscriber = Closed('Subscriber', { id: Id('subscriber'), fields: FieldValues() });
export type Subscriber = Static<typeof Subscriber>;

/** The body of createSubscribers: an element without an id is an insert, with one an update. */
export const NewSubscriber = Closed('NewSubscriber', {
  id: Maybe(IdOf('subscriber', Int32('Omit it, or send null or 0, for a new subscriber'))),
  fields: FieldValues(),
});
export type NewSubscriber = Static<typeof NewSubscriber>;

export const SubscriberChange = Closed('SubscriberChange', {
  id: IdOf('subscriber', Int32()),
  fields: FieldValues(),
});

/** The refusal of one element of a call, with its position (from 0) unless it is the only one. */
export function positioned(refusal: Refusal, position: number, count: number, done: unknown = null): Refusal {
  const where = count === 1 ? '' : ` (at position ${position})`;
  return refusal.saying(`${refusal.message}${where}`, done);
}

/** The site's fields by id. */
export type Fields = ReadonlyMap<number, Field>;

/** Values to write, by field id; other fields stay. */
export type Values = ReadonlyMap<number, DbValue>;

export type SubscriberRow = Readonly<Record<string, unknown>>;

export const byId = (fields: readonly Field[]): Fields => new Map(fields.map((field) => [field.id, field]));

/** 409, in the words of the API document. */
export const duplicateEmail = () =>
  new Refusal(
    409,
    'duplicate_email',
    'An error occurred: Cannot insert a duplicate subscriber because his email already exists in the database.',
  );

/** 409: field 43 is unique too. */
export const duplicateClient = () =>
  new Refusal(409, 'duplicate_client', 'Field 43 (Client identifier): already belongs to another subscriber');

/** A value that cannot be written; an update skips it if the subscriber already has it. */
export interface UnfitValue {
  readonly field: Field;
  readonly value: unknown;
  /** 400 that names the field and the rule. */
  readonly refusal: Refusal;
}

/** A caller's values that can be written, and those that cannot. */
export interface GivenValues {
  readonly values: Values;
  readonly unfit: readonly UnfitValue[];
}

/** @throws 400 for an unknown field, and for one that is given twice. */
function parseFields(fields: Fields, given: readonly FieldValue[]): GivenValues {
  const values = new Map<number, DbValue>();
  const unfit: UnfitValue[] = [];
  const seen = new Set<number>();
  for (const { idField, value } of given) {
    const field = fields.get(idField);
    if (!field) throw invalid(`Field ${idField}: is unknown`);
    if (seen.has(idField)) throw invalid(`${nameOf(field)}: is given twice`);
    seen.add(idField);
    try {
      values.set(idField, parseGiven(field, value));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      unfit.push({ field, value, refusal: error });
    }
  }
  return { values, unfit };
}

function parseGiven(field: Field, value: unknown): DbValue {
  if (!isWritable(field)) throw invalid(`${nameOf(field)}: is filled by the service and cannot be written`);
  return field.id === 1 ? parseEmail(field, value) : parseValue(field, value);
}

/** null for an empty address: whether that is an error depends on the caller. */
function parseEmail(field: Field, value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') throw invalid(`${nameOf(field)}: must be a string`);
  if (value.trim() === '') return null;
  const email = normaliseEmail(value);
  // The message omits the address, because messages are logged.
  if (!email) throw invalid(`${nameOf(field)}: is not a valid email address`);
  return email;
}

/** The values of an insert. @throws 400 with the field and the rule, or the API document's words without an email */
export function parseInsert(fields: Fields, given: readonly FieldValue[]): Values {
  const { values, unfit } = parseFields(fields, given);
  if (unfit[0]) throw unfit[0].refusal;
  if (!values.get(1)) throw new Refusal(400, 'invalid_input', 'Error, email to insert not found');
  return values;
}

/** The values of an update. @throws 400 for an unknown field, a repeated one, and an emptied email. */
export function parseUpdate(fields: Fields, given: readonly FieldValue[]): GivenValues {
  const parsed = parseFields(fields, given);
  if (parsed.values.get(1) === null) throw invalid(`${nameOf(fields.get(1)!)}: cannot be emptied`);
  return parsed;
}

/** A row as the API shows it, with the values of `shown` in that order. */
export function showSubscriber(row: SubscriberRow, shown: readonly Field[]): Subscriber {
  return {
    id: Number(row.fld0),
    fields: shown.map((field) => ({ idField: field.id, value: showValue(field, row[`fld${field.id}`]) })),
  };
}

/** The fields of `filter.idFields` in the given order; all fields if it is empty. @throws 400 naming an unknown one. */
export function chooseFields(fields: readonly Field[], ids: readonly number[] | undefined): readonly Field[] {
  if (!ids?.length) return fields;
  const known = byId(fields);
  return [...new Set(ids)].map((id) => {
    const field = known.get(id);
    if (!field) throw invalid(`filter.idFields: field ${id} is unknown`);
    return field;
  });
}
