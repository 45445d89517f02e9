import { type FieldOperatorName, operatorNames, operatorOf } from '../fields/field-operator.ts';
import { fold } from '../fields/fold.ts';
import { checkOperator, OperandError, periodOf, readOperand } from '../fields/operand.ts';
import { wholeDay } from '../fields/period.ts';
import { parisDayOf } from '../platform/paris-time.ts';
import { remembered } from '../platform/remembered.ts';
import type { FieldValue, TagField } from './tag.ts';
import { displayOf, isEmptyValue, parisDay } from './tag-value.ts';

/** Whether the condition holds for a value; `now` is the sending's date, so that a retry has the same result. */
export type Test = (value: FieldValue | undefined, now: Date) => boolean;

/** Thrown with one sentence for the author of the tag. */
export class ConditionError extends Error {}

/** Whether the condition holds for a value that is not empty. */
type Holds = (value: NonNullable<FieldValue>, now: Date) => boolean;

const operatorsByFoldedName = new Map(operatorNames.map((operator) => [operator.toLowerCase(), operator]));
const textOperators: ReadonlySet<FieldOperatorName> = new Set([
  'Contains',
  'NotContains',
  'StartsWith',
  'EndsWith',
]);
const ofEmpty: ReadonlySet<FieldOperatorName> = new Set(['HasNoValue', 'NotEqual', 'NotIn', 'NotContains']);

/**
 * Makes the test of `[[IF FLD.n operator "value"]]`. The operators and values are those of a target's field filter. In
 * addition, a List value may be named by its text and searched in it, because readers see its text, and a day may be
 * written as readers see it.
 * @throws ConditionError with the reason
 */
export function conditionTest(field: TagField, operatorText: string, value: string | undefined): Test {
  const operator = operatorsByFoldedName.get(operatorText.toLowerCase());
  if (!operator) throw new ConditionError(`there is no operator '${operatorText}'`);
  const holds = holdsOf(operator, field, operandOf(operator, field, value ?? ''));
  const whenEmpty = ofEmpty.has(operator);
  return (given, now) => (isEmptyValue(given) ? whenEmpty : holds(given, now));
}

/** The value as a field filter stores it; '' for an operator without a value. @throws ConditionError */
function operandOf(operator: FieldOperatorName, field: TagField, written: string): string {
  const isListText = field.fieldType === 'List' && textOperators.has(operator);
  const compared = isListText ? { ...field, fieldType: 'Text' as const } : field;
  try {
    checkOperator(operator, compared);
    return readOperand(operator, asInFilters(operator, compared, written), compared) ?? '';
  } catch (error) {
    if (!(error instanceof OperandError)) throw error;
    throw new ConditionError(error.message.replace(/^must/, 'the value must'));
  }
}

/** Translates dates as readers see them, and texts of a List, into the values of a field filter. */
function asInFilters(operator: FieldOperatorName, field: TagField, written: string): string {
  const inWord = filterWords[field.fieldType];
  if (!inWord) return written;
  const isList = operatorOf(operator).takes === 'many' || operatorOf(operator).takes === 'two';
  const parts = isList ? written.split(';') : [written];
  return parts.map((part) => inWord(part.trim(), field)).join(';');
}

const filterWords: Partial<Record<TagField['fieldType'], (part: string, field: TagField) => string>> = {
  Date: (part) => part.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$2-$1'),
  List(part, { list }) {
    const key = list && keysByText(list).get(fold(part));
    return typeof key === 'number' ? String(key) : part;
  },
};

/** The key of each folded text; the first of equal texts counts. */
const keysByText = remembered(
  (list: NonNullable<TagField['list']>): ReadonlyMap<string, number> =>
    new Map(list.map(({ key, value }) => [fold(value), key] as const).reverse()),
);

function holdsOf(operator: FieldOperatorName, field: TagField, operand: string): Holds {
  const order = () => orderOf(field, operand);
  switch (operator) {
    case 'HasValue':
      return () => true;
    case 'HasNoValue':
      return () => false;
    case 'Equal':
      return isOneOf(field, [operand]);
    case 'NotEqual':
      return not(isOneOf(field, [operand]));
    case 'In':
      return isOneOf(field, operand.split(';'));
    case 'NotIn':
      return not(isOneOf(field, operand.split(';')));
    case 'Greater':
      return ordered(order(), (sign) => sign > 0);
    case 'GreaterOrEqual':
      return ordered(order(), (sign) => sign >= 0);
    case 'Less':
      return ordered(order(), (sign) => sign < 0);
    case 'LessOrEqual':
      return ordered(order(), (sign) => sign <= 0);
    case 'Between': {
      const [low = '', high = ''] = operand.split(';');
      const isFrom = ordered(orderOf(field, low), (sign) => sign >= 0);
      const isTo = ordered(orderOf(field, high), (sign) => sign <= 0);
      return (value, now) => isFrom(value, now) && isTo(value, now);
    }
    case 'Contains':
      return inText(field, operand, (text, part) => text.includes(part));
    case 'NotContains':
      return inText(field, operand, (text, part) => !text.includes(part));
    case 'StartsWith':
      return inText(field, operand, (text, part) => text.startsWith(part));
    case 'EndsWith':
      return inText(field, operand, (text, part) => text.endsWith(part));
    case 'LastDays':
      return withinDays(-Number(operand), 0);
    case 'NextDays':
      return withinDays(0, Number(operand));
    case 'BeforeDaysAgo':
      return not(withinDays(-Number(operand), Number.POSITIVE_INFINITY));
    case 'Anniversary':
      return isAnniversary;
  }
}

/** Searches the shown form of a value, ignoring case and accents. */
function inText(field: TagField, operand: string, has: (text: string, part: string) => boolean): Holds {
  const display = displayOf(field);
  const part = fold(operand);
  return (value) => has(fold(display(value)), part);
}

/** Negative, zero or positive if a value comes before the operand, equals it (or is in its period), or comes after. */
type Order = (value: FieldValue) => number;

function orderOf(field: TagField, operand: string): Order {
  switch (field.fieldType) {
    case 'Text': {
      const other = fold(operand);
      return (value) => codePointOrder(fold(String(value)), other);
    }
    case 'Date': {
      const { start, end } = periodOf(operand);
      return (value) => {
        const at = dateOf(value).getTime();
        return at < start.getTime() ? -1 : at < end.getTime() ? 0 : 1;
      };
    }
    case 'Boolean': {
      const other = operand === 'true' ? 1 : 0;
      return (value) => (Number(value) === 0 ? 0 : 1) - other;
    }
    default: {
      const other = BigInt(operand);
      return (value) => Number(BigInt(String(value)) - other);
    }
  }
}

/** PostgreSQL's order of texts: by code point, which `<` on UTF-16 misplaces above U+FFFF. */
function codePointOrder(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const not =
  (holds: Holds): Holds =>
  (value, now) =>
    !holds(value, now);
const ordered =
  (order: Order, fits: (sign: number) => boolean): Holds =>
  (value) =>
    fits(order(value));
/** A list may have thousands of values, so values are looked up in a set; dates are compared with periods. */
function isOneOf(field: TagField, operands: readonly string[]): Holds {
  if (field.fieldType === 'Date') {
    const orders = operands.map((operand) => orderOf(field, operand));
    return (value) => orders.some((order) => order(value) === 0);
  }
  const keyOf = {
    Text: (value: FieldValue) => fold(String(value)),
    Integer: (value: FieldValue) => String(value),
    List: (value: FieldValue) => String(value),
    Boolean: (value: FieldValue) => String(Number(value) !== 0),
  }[field.fieldType];
  const keys = new Set(field.fieldType === 'Text' ? operands.map(fold) : operands);
  return (value) => keys.has(keyOf(value));
}

const dateOf = (value: FieldValue): Date => (value instanceof Date ? value : new Date(String(value)));

/** Whether a date is from `from` to `to` Paris days after today, both included; infinity means no end. */
function withinDays(from: number, to: number): Holds {
  let known: { now: number; start: number; end: number } | undefined;
  return (value, now) => {
    // All messages of a sending need the same day, and the calendar costs more than the comparison.
    if (known?.now !== now.getTime()) {
      const today = parisDayOf(now);
      const end = to === Number.POSITIVE_INFINITY ? to : wholeDay(today.add({ days: to })).end.getTime();
      known = { now: now.getTime(), start: wholeDay(today.add({ days: from })).start.getTime(), end };
    }
    const at = dateOf(value).getTime();
    return at >= known.start && at < known.end;
  };
}

// The first day itself is not an anniversary. In common years, 29 February counts on 28 February.
function isAnniversary(value: FieldValue, now: Date): boolean {
  const [day, today] = [parisDay(dateOf(value)), parisDay(now)];
  const isLeapYear = new Date(Date.UTC(Number(today.slice(0, 4)), 1, 29)).getUTCMonth() === 1;
  const monthDay = day.slice(5) === '02-29' && !isLeapYear ? '02-28' : day.slice(5);
  return monthDay === today.slice(5) && day < today;
}
