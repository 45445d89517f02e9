import type { FieldValue, TagField } from './tag.ts';
import { displayOf, isEmptyValue, parisDay } from './tag-value.ts';

/** Whether the condition holds for a value; `now` is the sending's date, so that a retry tests the same. */
export type Test = (value: FieldValue | undefined, now: Date) => boolean;

const withoutValue = ['HasValue', 'HasNoValue', 'Anniversary'] as const;
const comparisons = ['Equal', 'NotEqual', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'] as const;
const lists = ['Between', 'In', 'NotIn'] as const;
const texts = ['Contains', 'NotContains', 'StartsWith', 'EndsWith'] as const;
const days = ['LastDays', 'NextDays', 'BeforeDaysAgo'] as const;

const operators = [...withoutValue, ...comparisons, ...lists, ...texts, ...days] as const;
const operatorsByFoldedName = new Map(operators.map((operator) => [operator.toLowerCase(), operator]));

/** Thrown with one sentence for the author of the tag. */
export class ConditionError extends Error {}

const isOneOf = <T extends string>(words: readonly T[], word: string): word is T =>
  (words as readonly string[]).includes(word);

/**
 * Makes the test of `[[IF FLD.n operator "value"]]`; throws a ConditionError that says what does not fit. The
 * operators mean what they mean in a target's field filter.
 */
export function conditionTest(field: TagField, operatorText: string, value: string | undefined): Test {
  const operator = operatorsByFoldedName.get(operatorText.toLowerCase());
  if (!operator) throw new ConditionError(`there is no operator '${operatorText}'`);
  if (operator === 'HasValue') return (given) => !isEmptyValue(given);
  if (operator === 'HasNoValue') return (given) => isEmptyValue(given);
  if (operator === 'Anniversary' || isOneOf(days, operator)) return dayTest(field, operator, value);
  if (value === undefined) throw new ConditionError(`the operator ${operator} needs a value`);
  if (isOneOf(texts, operator)) return textTest(field, operator, value);
  return comparisonTest(field, operator, value);
}

// Text without regard to case and accents, as PostgreSQL's unaccent and lower() do in the field filter.
const ligatures: Readonly<Record<string, string>> = { œ: 'oe', æ: 'ae', ø: 'o', ß: 'ss', ł: 'l', đ: 'd' };

export function fold(text: string): string {
  const plain = text.toLowerCase();
  if (/^[\x00-\x7f]*$/.test(plain)) return plain;
  return plain
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[œæøßłđ]/g, (letter) => ligatures[letter]!);
}

function textTest(field: TagField, operator: (typeof texts)[number], value: string): Test {
  if (field.fieldType !== 'Text' && field.fieldType !== 'List')
    throw new ConditionError(`the operator ${operator} fits Text and List fields only`);
  const display = displayOf(field);
  const part = fold(value);
  const has = {
    Contains: (text: string) => text.includes(part),
    NotContains: (text: string) => !text.includes(part),
    StartsWith: (text: string) => text.startsWith(part),
    EndsWith: (text: string) => text.endsWith(part),
  }[operator];
  return (given) => has(fold(display(given)));
}

type Comparable = string | number | bigint;

/** How a field type compares: the operand and the value as two things of one kind that `<` can order. */
interface Comparison {
  operand(text: string): Comparable;
  comparable(value: FieldValue, operand: Comparable): Comparable;
  readonly isOrdered: boolean;
}

function comparisonOf(field: TagField): Comparison {
  switch (field.fieldType) {
    case 'Text':
      return { operand: fold, comparable: (value) => fold(String(value)), isOrdered: true };
    case 'Integer':
      return { operand: integerOperand, comparable: (value) => BigInt(String(value)), isOrdered: true };
    case 'Boolean':
      return {
        operand: booleanOperand,
        comparable: (value) => (Number(value) === 0 ? 0 : 1),
        isOrdered: false,
      };
    case 'Date':
      return { operand: dateOperand, comparable: dateComparable, isOrdered: true };
    case 'List':
      return { operand: (text) => listOperand(field, text), comparable: Number, isOrdered: false };
  }
}

function integerOperand(text: string): bigint {
  const trimmed = text.trim();
  if (!/^[+-]?\d{1,19}$/.test(trimmed)) throw new ConditionError(`'${text}' is not a whole number`);
  return BigInt(trimmed.replace('+', ''));
}

function booleanOperand(text: string): number {
  const word = text.trim().toLowerCase();
  if (word === '1' || word === 'true') return 1;
  if (word === '0' || word === 'false') return 0;
  throw new ConditionError(`'${text}' is neither true nor false`);
}

function listOperand(field: TagField, text: string): number {
  const trimmed = text.trim();
  const entry = (field.list ?? []).find(
    ({ key, value }) => String(key) === trimmed || fold(value) === fold(trimmed),
  );
  if (!entry) throw new ConditionError(`'${text}' is not a value of the list of field ${field.id}`);
  return entry.key;
}

// A day is compared by Paris days, an instant (ISO 8601 with a time) by instants.
function dateOperand(text: string): Comparable {
  const trimmed = text.trim();
  const french = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(trimmed);
  const day = french ? `${french[3]}-${french[2]}-${french[1]}` : trimmed;
  const instant = Date.parse(day);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day);
  if (Number.isNaN(instant) || !(isDay || /T.*(Z|[+-]\d{2}:\d{2})$/.test(day)))
    throw new ConditionError(`'${text}' is not a date (yyyy-MM-dd)`);
  return isDay ? day : instant;
}

function dateComparable(value: FieldValue, operand: Comparable): Comparable {
  const date = value instanceof Date ? value : new Date(String(value));
  return typeof operand === 'string' ? parisDay(date) : date.getTime();
}

type ComparisonOperator = (typeof comparisons)[number] | (typeof lists)[number];

/** A value of the subscriber beside operands of the same kind. */
interface Compared {
  readonly given: FieldValue;
  readonly operands: readonly Comparable[];
  readonly comparable: Comparison['comparable'];
}

const equalsOne = ({ given, operands, comparable }: Compared) =>
  operands.some((one) => comparable(given, one) === one);
const ordered =
  (holds: (value: Comparable, operand: Comparable) => boolean, index = 0) =>
  ({ given, operands, comparable }: Compared) =>
    holds(comparable(given, operands[index]!), operands[index]!);
const isAtLeast = ordered((value, low) => value >= low);
const isAtMostSecond = ordered((value, high) => value <= high, 1);

const comparisonTests: Readonly<Record<ComparisonOperator, (compared: Compared) => boolean>> = {
  Equal: equalsOne,
  In: equalsOne,
  NotEqual: (compared) => !equalsOne(compared),
  NotIn: (compared) => !equalsOne(compared),
  Greater: ordered((value, low) => value > low),
  GreaterOrEqual: isAtLeast,
  Less: ordered((value, high) => value < high),
  LessOrEqual: ordered((value, high) => value <= high),
  Between: (compared) => isAtLeast(compared) && isAtMostSecond(compared),
};

function comparisonTest(field: TagField, operator: ComparisonOperator, value: string): Test {
  const { operand, comparable, isOrdered } = comparisonOf(field);
  const isEquality = operator === 'Equal' || operator === 'NotEqual';
  if (!isOrdered && !isEquality && operator !== 'In' && operator !== 'NotIn')
    throw new ConditionError(`the operator ${operator} does not fit a ${field.fieldType} field`);
  const operands = isOneOf(lists, operator) ? value.split(';').map(operand) : [operand(value)];
  if (operator === 'Between' && operands.length !== 2)
    throw new ConditionError('the operator Between needs two values, as in "1;5"');
  const test = comparisonTests[operator];
  const whenEmpty = operator === 'NotEqual' || operator === 'NotIn';
  return (given) => (isEmptyValue(given) ? whenEmpty : test({ given, operands, comparable }));
}

function dayTest(field: TagField, operator: 'Anniversary' | (typeof days)[number], value?: string): Test {
  if (field.fieldType !== 'Date') throw new ConditionError(`the operator ${operator} fits Date fields only`);
  const dayOf = (given: FieldValue) => dateComparable(given, '') as string;
  if (operator === 'Anniversary')
    return (given, now) => !isEmptyValue(given) && isAnniversary(dayOf(given), parisDay(now));
  const count = Number(value);
  if (value === undefined || !/^\s*\d{1,5}\s*$/.test(value))
    throw new ConditionError(`the operator ${operator} needs a number of days`);
  return (given, now) => {
    if (isEmptyValue(given)) return false;
    const day = dayOf(given);
    const today = parisDay(now);
    if (operator === 'LastDays') return day >= shiftDay(today, -count) && day <= today;
    if (operator === 'NextDays') return day >= today && day <= shiftDay(today, count);
    return day < shiftDay(today, -count);
  };
}

function shiftDay(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return date.toISOString().slice(0, 10);
}

// Born on 29 February: in common years the day is 28 February.
function isAnniversary(day: string, today: string): boolean {
  const year = Number(today.slice(0, 4));
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const monthDay = day.slice(5) === '02-29' && !isLeap ? '02-28' : day.slice(5);
  return monthDay === today.slice(5);
}
