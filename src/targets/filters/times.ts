import type { Times } from '../../activity/activity-selection.ts';
import type { Language } from '../../fields/period.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Maybe, OneOf, Text } from '../../platform/http/schema.ts';

/** The operators by name: the range of numbers that each accepts. */
const operators = {
  AtLeast: (n: number): Times => ({ min: n, max: null }),
  Exactly: (n: number): Times => ({ min: n, max: n }),
  AtMost: (n: number): Times => ({ min: 0, max: n }),
  Between: (n: number, most: number): Times => ({ min: n, max: most }),
} as const;
export type TimesOperator = keyof typeof operators;
// Object.keys forgets the keys' type; `operators` is a literal of this file.
const timesOperators = Object.keys(operators) as [TimesOperator, ...TimesOperator[]];

const maxTimes = 1_000_000;

/** A number of times, as two kinds of filter accept it. */
export interface GivenTimes {
  readonly nbTime?: string | null;
  readonly nbTimeAndDayOperator?: TimesOperator | null;
}

export const timesMembers = {
  nbTime: Maybe(
    Text(
      20,
      'The number of times, for example `3`; for Between `2;5`. Default: 1, if its operator is omitted too',
    ),
  ),
  nbTimeAndDayOperator: Maybe(
    OneOf(timesOperators, 'Compares the number of times; Default: AtLeast, if nbTime is omitted too'),
  ),
};

/** Both properties as they are stored. @throws 400 naming the property and the rule. */
export function parseTimes(given: GivenTimes): { nbTime: string; nbTimeAndDayOperator: TimesOperator } {
  const nbTime = given.nbTime?.trim() || null;
  const operator = given.nbTimeAndDayOperator ?? null;
  if (nbTime === null && operator === null) return { nbTime: '1', nbTimeAndDayOperator: 'AtLeast' };
  if (nbTime === null) throw invalid(`nbTime: ${operator} needs a number of times`);
  if (operator === null) {
    throw invalid(`nbTimeAndDayOperator: nbTime needs one of ${timesOperators.join(', ')}`);
  }
  const parts = nbTime.split(';').map((part) => part.trim());
  const isBetween = operator === 'Between';
  if (parts.length !== (isBetween ? 2 : 1)) {
    throw invalid(
      `nbTime: ${operator} requires ${isBetween ? "two numbers separated by ';', for example 2;5" : 'one number'}`,
    );
  }
  const numbers = parts.map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : Number.NaN));
  if (!numbers.every((number) => number <= maxTimes)) {
    throw invalid(`nbTime: '${nbTime}' must consist of whole numbers from 0 to ${maxTimes}`);
  }
  const [least = 0, most = least] = numbers;
  if (least > most) throw invalid('nbTime: the first number must not be greater than the second');
  return { nbTime: numbers.join(';'), nbTimeAndDayOperator: operator };
}

export function timesOf({ nbTime, nbTimeAndDayOperator }: GivenTimes): Times {
  const [first = 1, second = first] = (nbTime ?? '1').split(';').map(Number);
  return operators[nbTimeAndDayOperator ?? 'AtLeast'](first, second);
}

const une = (number: string) => (number === '1' ? 'une' : number);
const once = (number: string) => (number === '1' ? 'once' : `${number} times`);

type Say = (first: string, second: string) => string;
const timesWords: Readonly<Record<Language, Readonly<Record<TimesOperator, Say>>>> = {
  fr: {
    AtLeast: (number) => `au moins ${une(number)} fois`,
    Exactly: (number) => `exactement ${une(number)} fois`,
    AtMost: (number) => `au plus ${une(number)} fois`,
    Between: (first, second) => `entre ${une(first)} et ${une(second)} fois`,
  },
  en: {
    AtLeast: (number) => `at least ${once(number)}`,
    Exactly: (number) => `exactly ${once(number)}`,
    AtMost: (number) => `at most ${once(number)}`,
    Between: (first, second) => `between ${first} and ${second} times`,
  },
};

/** `at least 3 times`. */
export function timesInWords({ nbTime, nbTimeAndDayOperator }: GivenTimes, language: Language): string {
  const [first = '1', second = first] = (nbTime ?? '1').split(';');
  return timesWords[language][nbTimeAndDayOperator ?? 'AtLeast'](first, second);
}
