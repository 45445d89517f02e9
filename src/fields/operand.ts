import { isWellFormed } from '../platform/well-formed.ts';
import type { FieldType } from './field.ts';
import { type FieldOperatorName, operatorNames, operatorOf, type Takes } from './field-operator.ts';
import { int64, keysOf } from './field-value.ts';
import { fold } from './fold.ts';
import { type Period, readPeriod } from './period.ts';

const maxListed = 10_000;
const maxDays = 36_500;
/** A list may have thousands of keys; a message names the first of them. */
const shownKeys = 20;

/** A field as far as it decides what it can be compared with. */
export interface ComparedField {
  readonly id: number;
  readonly fieldType: FieldType;
  readonly list?: readonly { readonly key: number; readonly value: string }[] | null;
}

/** Says in one sentence what does not fit: that the field has no such comparison, or what its value must be. */
export class OperandError extends Error {
  readonly part: 'operator' | 'value';

  constructor(part: 'operator' | 'value', message: string) {
    super(message);
    this.part = part;
  }
}

/** How the values of one type of field are read from the text of a comparison. */
interface OperandType {
  /** Describes the values that the operator accepts, for an error. */
  rule(field: ComparedField): string;
  /** The value as it is kept, or undefined when it breaks the rule. */
  normalise(text: string, field: ComparedField): string | undefined;
  /** Whether `Between a;b` can hold; always true where only the database knows the order. */
  inOrder(a: string, b: string): boolean;
}

const text: OperandType = {
  rule: () => 'must be text',
  normalise: (given) => (given === '' ? undefined : given.normalize('NFC')),
  inOrder: () => true,
};

const integer: OperandType = {
  rule: () => 'must be a whole number of 64 bits',
  normalise(given) {
    // The number is in its stored form: a filter of 8 MB has a million of them.
    if (/^(?:0|-?[1-9]\d{0,14})$/.test(given)) return given;
    if (!/^[+-]?\d{1,30}$/.test(given.trim())) return undefined;
    const number = BigInt(given.trim().replace('+', ''));
    return number < int64[0] || number > int64[1] ? undefined : String(number);
  },
  inOrder: (a, b) => BigInt(a) <= BigInt(b),
};

const date: OperandType = {
  rule: () => 'must be a date, yyyy-MM-dd or yyyy-MM-ddTHH:mm[:ss]',
  normalise: (given) => (readPeriod(given.trim()) ? given.trim() : undefined),
  inOrder: (a, b) => periodOf(a).start <= periodOf(b).start,
};

/** The period of a date that was normalised. @throws Error when it was not */
export function periodOf(value: string): Period {
  const period = readPeriod(value);
  if (!period) throw new Error(`A stored comparison holds a date that cannot be read: ${value}`);
  return period;
}

const list: OperandType = {
  rule({ list }) {
    const entries = list ?? [];
    const more = entries.length > shownKeys ? `, … (${entries.length} keys)` : '';
    const shown = entries.slice(0, shownKeys).map(({ key }) => key);
    return `must be one of the list's keys: ${shown.join(', ')}${more}`;
  },
  normalise(given, field) {
    const key = integer.normalise(given, field);
    return key !== undefined && field.list && keysOf(field.list).has(Number(key)) ? key : undefined;
  },
  inOrder: integer.inOrder,
};

const boolean: OperandType = {
  rule: () => 'must be true, false, 1 or 0',
  normalise(given) {
    const word = given.trim().toLowerCase();
    if (word === 'true' || word === '1') return 'true';
    return word === 'false' || word === '0' ? 'false' : undefined;
  },
  inOrder: () => true,
};

/** They look for a part of a text. */
const searching: ReadonlySet<FieldOperatorName> = new Set([
  'Contains',
  'NotContains',
  'StartsWith',
  'EndsWith',
]);

export const operandTypes: Readonly<Record<FieldType, OperandType>> = {
  Text: text,
  Integer: integer,
  Date: date,
  List: list,
  Boolean: boolean,
};

/** Checks that a field has the operator. @throws OperandError that names those it has */
export function checkOperator(operator: FieldOperatorName, field: ComparedField): void {
  if (operatorOf(operator).types.includes(field.fieldType)) return;
  const fitting = operatorNames.filter((name) => operatorOf(name).types.includes(field.fieldType));
  const one = `field ${field.id}, of type ${field.fieldType}`;
  throw new OperandError('operator', `${operator} is not for ${one}; it takes ${fitting.join(', ')}`);
}

/**
 * The value of a comparison, as it is kept: normalised, several joined by `;`, null for an operator that takes none.
 * It is read alike wherever fields are compared, in filters of targets and in conditions of contents.
 * @throws OperandError
 */
export function readOperand(operator: FieldOperatorName, given: string, field: ComparedField): string | null {
  const { takes } = operatorOf(operator);
  if (!isWellFormed(given)) throw new OperandError('value', 'must be well-formed Unicode');
  if (takes === 'none') {
    if (given === '') return null;
    throw new OperandError('value', `must be empty, since ${operator} compares with nothing`);
  }
  if (given === '')
    throw new OperandError('value', `${operator} needs a value; HasNoValue finds empty fields`);
  return takes === 'days' ? readDays(given) : readValues(operator, takes, given, field);
}

function readDays(given: string): string {
  const days = /^\d{1,5}$/.test(given.trim()) ? Number(given) : Number.NaN;
  if (!(days <= maxDays))
    throw new OperandError('value', `must be a whole number of days from 0 to ${maxDays}`);
  return String(days);
}

function readValues(operator: FieldOperatorName, takes: Takes, given: string, field: ComparedField): string {
  const type = operandTypes[field.fieldType];
  const parts = takes === 'one' ? [given] : given.split(';').map((part) => part.trim());
  if (takes === 'two' && parts.length !== 2)
    throw new OperandError('value', `${operator} takes two values separated by one ';'`);
  if (parts.length > maxListed)
    throw new OperandError('value', `${operator} takes at most ${maxListed} values`);
  if (parts.includes(''))
    throw new OperandError('value', `${operator} takes values separated by ';', none of them empty`);
  const values = parts.map((part) => {
    const value = type.normalise(part, field);
    if (value !== undefined) return value;
    throw new OperandError(
      'value',
      `'${part.slice(0, 50)}' does not fit field ${field.id}: it ${type.rule(field)}`,
    );
  });
  const [first = '', second = ''] = values;
  // Every text contains the empty one: a half-typed letter that folds to nothing would select everybody.
  if (searching.has(operator) && fold(first) === '')
    throw new OperandError('value', `holds nothing but accents, without which ${operator} compares`);
  if (takes === 'two' && !type.inOrder(first, second))
    throw new OperandError('value', `the first value of ${operator} must not be greater than the second`);
  return [...(takes === 'many' ? new Set(values) : values)].join(';');
}
