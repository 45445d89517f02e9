import type { FieldType } from './field.ts';

/** How many values are in an entry's `value`: none, one, `a;b`, `a;b;c`, or a number of days. */
export type Takes = 'none' | 'one' | 'two' | 'many' | 'days';

interface FieldOperator {
  readonly takes: Takes;
  /** The types of fields that it compares. */
  readonly types: readonly FieldType[];
  /** French, after the field's name; `%` stands for the value or values. */
  readonly french: string;
  /** Where French says it otherwise of a date. */
  readonly frenchOfDate?: string;
}

const every: readonly FieldType[] = ['Text', 'Integer', 'Date', 'List', 'Boolean'];
const ordered: readonly FieldType[] = ['Text', 'Integer', 'Date'];

/** Every operator of a field filter: what it takes, what it is for, how it reads. */
export const operators = {
  HasValue: { takes: 'none', types: every, french: 'est renseigné' },
  HasNoValue: { takes: 'none', types: every, french: 'n’est pas renseigné' },
  Equal: { takes: 'one', types: every, french: 'est égal à %' },
  NotEqual: { takes: 'one', types: every, french: 'est différent de % ou n’est pas renseigné' },
  Greater: { takes: 'one', types: ordered, french: 'est supérieur à %', frenchOfDate: 'est après le %' },
  GreaterOrEqual: {
    takes: 'one',
    types: ordered,
    french: 'est supérieur ou égal à %',
    frenchOfDate: 'est le % ou après',
  },
  Less: { takes: 'one', types: ordered, french: 'est inférieur à %', frenchOfDate: 'est avant le %' },
  LessOrEqual: {
    takes: 'one',
    types: ordered,
    french: 'est inférieur ou égal à %',
    frenchOfDate: 'est le % ou avant',
  },
  Between: { takes: 'two', types: ordered, french: 'est compris entre %' },
  In: { takes: 'many', types: every, french: 'est l’une des valeurs %' },
  NotIn: { takes: 'many', types: every, french: 'n’est aucune des valeurs % ou n’est pas renseigné' },
  Contains: { takes: 'one', types: ['Text'], french: 'contient %' },
  NotContains: { takes: 'one', types: ['Text'], french: 'ne contient pas % ou n’est pas renseigné' },
  StartsWith: { takes: 'one', types: ['Text'], french: 'commence par %' },
  EndsWith: { takes: 'one', types: ['Text'], french: 'finit par %' },
  LastDays: { takes: 'days', types: ['Date'], french: 'est %' },
  NextDays: { takes: 'days', types: ['Date'], french: 'est %' },
  BeforeDaysAgo: { takes: 'days', types: ['Date'], french: 'date %' },
  Anniversary: { takes: 'none', types: ['Date'], french: 'a son anniversaire aujourd’hui' },
} as const satisfies Record<string, FieldOperator>;

export type FieldOperatorName = keyof typeof operators;

// Object.keys forgets the keys' type; `operators` is a literal of this file.
export const operatorNames = Object.keys(operators) as FieldOperatorName[];

/** An operator by name, with the members that only some have. */
export function operatorOf(name: FieldOperatorName): FieldOperator {
  return operators[name];
}
