import { expect, test } from 'vitest';
import { type GivenTimes, parseTimes, type TimesOperator, timesOf } from './times.ts';

test.each<[string | null, TimesOperator | null, number, number | null]>([
  [null, null, 1, null],
  ['', null, 1, null],
  ['3', 'AtLeast', 3, null],
  [' 03 ', 'Exactly', 3, 3],
  ['0', 'Exactly', 0, 0],
  ['0', 'AtMost', 0, 0],
  ['2', 'AtMost', 0, 2],
  ['2;5', 'Between', 2, 5],
  ['0 ; 0', 'Between', 0, 0],
])('%j %s is from %i to %s', (nbTime, nbTimeAndDayOperator, min, max) => {
  const kept = parseTimes({ nbTime, nbTimeAndDayOperator });
  expect(timesOf(kept)).toEqual({ min, max });
  expect(parseTimes(kept)).toEqual(kept);
});

test.each<[GivenTimes, string]>([
  [{ nbTimeAndDayOperator: 'AtMost' }, 'nbTime: AtMost needs a number of times'],
  [{ nbTime: '2' }, 'nbTimeAndDayOperator: nbTime needs one of AtLeast, Exactly, AtMost, Between'],
  [{ nbTime: '2;5', nbTimeAndDayOperator: 'AtLeast' }, 'nbTime: AtLeast requires one number'],
  [{ nbTime: '2', nbTimeAndDayOperator: 'Between' }, "nbTime: Between requires two numbers separated by ';'"],
  [{ nbTime: '5;2', nbTimeAndDayOperator: 'Between' }, 'the first number must not be greater'],
  [{ nbTime: '-1', nbTimeAndDayOperator: 'AtLeast' }, "nbTime: '-1' must consist of whole numbers"],
  [{ nbTime: '1.5', nbTimeAndDayOperator: 'AtLeast' }, "nbTime: '1.5' must consist of whole numbers"],
  [{ nbTime: '1000001', nbTimeAndDayOperator: 'AtLeast' }, 'from 0 to 1000000'],
  [{ nbTime: "1'; --", nbTimeAndDayOperator: 'AtLeast' }, 'nbTime: AtLeast requires one number'],
])('%j is refused', (given, message) => {
  const expected = { status: 400, message: expect.stringContaining(message) };
  expect(() => parseTimes(given)).toThrow(expect.objectContaining(expected));
});
