import type { Times } from '../../activity/activity-selection.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Maybe, OneOf, Text } from '../../platform/http/schema.ts';

/** The operators by name: the range of numbers that each accepts, and its French. */
const operators = {
  AtLeast: { times: (n: number): Times => ({ min: n, max: null }), french: (n: string) => `au moins ${n}` },
  Exactly: { times: (n: number): Times => ({ min: n, max: n }), french: (n: string) => `exactement ${n}` },
  AtMost: { times: (n: number): Times => ({ min: 0, max: n }), french: (n: string) => `au plus ${n}` },
  Between: {
    times: (n: number, most: number): Times => ({ min: n, max: most }),
    french: (n: string, most: string) => `entre ${n} et ${most}`,
  },
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
  return operators[nbTimeAndDayOperator ?? 'AtLeast'].times(first, second);
}

/** `au moins 3 fois`. */
export function frenchTimes({ nbTime, nbTimeAndDayOperator }: GivenTimes): string {
  const words = (nbTime ?? '1').split(';').map((number) => (number === '1' ? 'une' : number));
  const [first = 'une', second = first] = words;
  return `${operators[nbTimeAndDayOperator ?? 'AtLeast'].french(first, second)} fois`;
}
