import type { FieldType } from './field.ts';
import type { Language } from './period.ts';

/** How many values are in an entry's `value`: none, one, `a;b`, `a;b;c`, or a number of days. */
export type Takes = 'none' | 'one' | 'two' | 'many' | 'days';

interface FieldOperator {
  readonly takes: Takes;
  /** The types of fields that it compares. */
  readonly types: readonly FieldType[];
  /** The words after the field's name; `%` stands for the value or values. */
  readonly words: InWords;
  /** The words for a date, if they are others. */
  readonly wordsOfDate?: InWords;
}
type InWords = Readonly<Record<Language, string>>;

const every: readonly FieldType[] = ['Text', 'Integer', 'Date', 'List', 'Boolean'];
const ordered: readonly FieldType[] = ['Text', 'Integer', 'Date'];

/** Every operator of a field filter: what it takes, what it is for, how it reads. */
export const operators = {
  HasValue: { takes: 'none', types: every, words: { fr: 'est renseigné', en: 'has a value' } },
  HasNoValue: { takes: 'none', types: every, words: { fr: 'n’est pas renseigné', en: 'has no value' } },
  Equal: { takes: 'one', types: every, words: { fr: 'est égal à %', en: 'is %' } },
  NotEqual: {
    takes: 'one',
    types: every,
    words: { fr: 'est différent de % ou n’est pas renseigné', en: 'is not % or has no value' },
  },
  Greater: {
    takes: 'one',
    types: ordered,
    words: { fr: 'est supérieur à %', en: 'is more than %' },
    wordsOfDate: { fr: 'est après le %', en: 'is after %' },
  },
  GreaterOrEqual: {
    takes: 'one',
    types: ordered,
    words: { fr: 'est supérieur ou égal à %', en: 'is at least %' },
    wordsOfDate: { fr: 'est le % ou après', en: 'is on or after %' },
  },
  Less: {
    takes: 'one',
    types: ordered,
    words: { fr: 'est inférieur à %', en: 'is less than %' },
    wordsOfDate: { fr: 'est avant le %', en: 'is before %' },
  },
  LessOrEqual: {
    takes: 'one',
    types: ordered,
    words: { fr: 'est inférieur ou égal à %', en: 'is at most %' },
    wordsOfDate: { fr: 'est le % ou avant', en: 'is on or before %' },
  },
  Between: { takes: 'two', types: ordered, words: { fr: 'est compris entre %', en: 'is between %' } },
  In: { takes: 'many', types: every, words: { fr: 'est l’une des valeurs %', en: 'is one of %' } },
  NotIn: {
    takes: 'many',
    types: every,
    words: { fr: 'n’est aucune des valeurs % ou n’est pas renseigné', en: 'is none of % or has no value' },
  },
  Contains: { takes: 'one', types: ['Text'], words: { fr: 'contient %', en: 'contains %' } },
  NotContains: {
    takes: 'one',
    types: ['Text'],
    words: { fr: 'ne contient pas % ou n’est pas renseigné', en: 'does not contain % or has no value' },
  },
  StartsWith: { takes: 'one', types: ['Text'], words: { fr: 'commence par %', en: 'starts with %' } },
  EndsWith: { takes: 'one', types: ['Text'], words: { fr: 'finit par %', en: 'ends with %' } },
  LastDays: { takes: 'days', types: ['Date'], words: { fr: 'est %', en: 'is %' } },
  NextDays: { takes: 'days', types: ['Date'], words: { fr: 'est %', en: 'is %' } },
  BeforeDaysAgo: { takes: 'days', types: ['Date'], words: { fr: 'date %', en: 'is %' } },
  Anniversary: {
    takes: 'none',
    types: ['Date'],
    words: { fr: 'a son anniversaire aujourd’hui', en: 'has its anniversary today' },
  },
} as const satisfies Record<string, FieldOperator>;

export type FieldOperatorName = keyof typeof operators;

// Object.keys forgets the keys' type; `operators` is a literal of this file.
export const operatorNames = Object.keys(operators) as FieldOperatorName[];

/** An operator by name, with the members that only some have. */
export function operatorOf(name: FieldOperatorName): FieldOperator {
  return operators[name];
}
