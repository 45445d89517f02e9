import { describe, expect, test } from 'vitest';
import type { FieldValue, TagField } from './tag.ts';
import { conditionTest } from './tag-condition.ts';

const fieldOf: Record<TagField['fieldType'], TagField> = {
  Text: { id: 101, fieldType: 'Text' },
  Integer: { id: 102, fieldType: 'Integer' },
  Date: { id: 103, fieldType: 'Date' },
  List: {
    id: 104,
    fieldType: 'List',
    list: [
      { key: 1, value: 'Île-de-France' },
      { key: 2, value: 'Corse' },
    ],
  },
  Boolean: { id: 8, fieldType: 'Boolean' },
};

const at = (text: string): Date => new Date(text);
const now = at('2026-07-01T22:30:00Z'); // 2 July in Paris

const holds = (type: TagField['fieldType'], operator: string, value: string | undefined, given: FieldValue) =>
  conditionTest(fieldOf[type], operator, value)(given, now);

describe('what each operator says', () => {
  test.each<[TagField['fieldType'], string, string | undefined, FieldValue, boolean]>([
    ['Text', 'HasValue', undefined, 'a', true],
    ['Text', 'HasValue', undefined, '', false],
    ['Integer', 'HasValue', undefined, 0, true],
    ['Text', 'HasNoValue', undefined, null, true],
    ['Text', 'HasNoValue', undefined, 'a', false],
    ['Text', 'Equal', 'ELEVE', 'élève', true],
    ['Text', 'Equal', 'coeur', 'Cœur', true],
    ['Text', 'Equal', 'a', null, false],
    ['Text', 'NotEqual', 'a', null, true],
    ['Text', 'NotEqual', 'a', 'A', false],
    ['Text', 'Greater', 'b', 'C', true],
    ['Text', 'In', 'a;b', 'B', true],
    ['Text', 'NotIn', 'a;b', 'B', false],
    ['Text', 'NotIn', 'a;b', null, true],
    ['Text', 'Contains', 'ete', 'L’été !', true],
    ['Text', 'Contains', 'x', null, false],
    ['Text', 'NotContains', 'x', null, true],
    ['Text', 'StartsWith', 'é', 'Ete', true],
    ['Text', 'EndsWith', 'B', 'ab', true],
    ['Integer', 'Equal', '12', 12n, true],
    ['Integer', 'Equal', '9007199254740993', 9007199254740993n, true],
    ['Integer', 'Equal', '9007199254740993', '9007199254740992', false],
    ['Integer', 'Greater', '9', 10, true],
    ['Integer', 'GreaterOrEqual', '10', 10, true],
    ['Integer', 'Less', '-1', -2, true],
    ['Integer', 'LessOrEqual', '-2', -1, false],
    ['Integer', 'Between', '1;5', 5, true],
    ['Integer', 'Between', '1;5', 6, false],
    ['Integer', 'Between', '1;5', null, false],
    ['Integer', 'In', '1;2;3', 2, true],
    ['Boolean', 'Equal', 'true', 1n, true],
    ['Boolean', 'Equal', '0', false, true],
    ['Boolean', 'NotEqual', '1', null, true],
    ['List', 'Equal', '1', 1, true],
    ['List', 'Equal', 'ile-de-france', 1, true],
    ['List', 'In', 'Corse;1', 2, true],
    ['List', 'Contains', 'france', 1, true],
    ['Date', 'Equal', '2026-07-02', at('2026-07-01T22:00:00Z'), true],
    ['Date', 'Equal', '2026-07-02', at('2026-07-02T22:00:00Z'), false],
    ['Date', 'Equal', '02/07/2026', at('2026-07-02T10:00:00Z'), true],
    ['Date', 'Greater', '2026-07-02', at('2026-07-02T21:59:00Z'), false],
    ['Date', 'Greater', '2026-07-02T10:00:00Z', at('2026-07-02T10:00:01Z'), true],
    ['Date', 'Between', '2026-07-01;2026-07-03', at('2026-07-03T20:00:00Z'), true],
    ['Date', 'LastDays', '3', at('2026-06-28T22:00:00Z'), true],
    ['Date', 'LastDays', '3', at('2026-06-28T21:59:00Z'), false],
    ['Date', 'LastDays', '3', at('2026-07-03T00:00:00Z'), false],
    ['Date', 'NextDays', '1', at('2026-07-03T21:59:00Z'), true],
    ['Date', 'NextDays', '1', at('2026-07-03T22:00:00Z'), false],
    ['Date', 'BeforeDaysAgo', '1', at('2026-06-30T21:00:00Z'), true],
    ['Date', 'BeforeDaysAgo', '1', at('2026-07-01T10:00:00Z'), false],
    ['Date', 'LastDays', '3', null, false],
    ['Date', 'Anniversary', undefined, at('1980-07-02T10:00:00Z'), true],
    ['Date', 'Anniversary', undefined, at('1980-07-01T10:00:00Z'), false],
    ['Date', 'Anniversary', undefined, null, false],
    ['Date', 'Anniversary', undefined, now, false],
    ['Date', 'Anniversary', undefined, at('2030-07-02T10:00:00Z'), false],
    ['Date', 'Equal', '2026-07-02T12:00', at('2026-07-02T10:00:59Z'), true],
    ['Text', 'In', 'Paris; Lyon', 'lyon', true],
    ['Text', 'Equal', 'a;b', 'A;B', true],
    ['Text', 'Greater', '\uffee', '\u{1f600}', true],
  ])('%s %s %s of %s is %s', (type, operator, value, given, expected) => {
    expect(holds(type, operator, value, given)).toBe(expected);
  });

  test('29 February falls on the 28th in common years', () => {
    const birthday = conditionTest(fieldOf.Date, 'Anniversary', undefined);
    const born = at('2004-02-29T12:00:00Z');
    expect(birthday(born, at('2026-02-28T12:00:00Z'))).toBe(true);
    expect(birthday(born, at('2028-02-28T12:00:00Z'))).toBe(false);
    expect(birthday(born, at('2028-02-29T12:00:00Z'))).toBe(true);
  });
});

describe('what does not fit is said', () => {
  test.each<[TagField['fieldType'], string, string | undefined, string]>([
    ['Text', 'Like', 'a', "there is no operator 'Like'"],
    ['Text', 'Equal', undefined, 'Equal needs a value'],
    ['Integer', 'Contains', '1', 'Contains is not for field 102, of type Integer; it takes HasValue,'],
    ['Integer', 'Equal', '1.5', "'1.5' does not fit field 102: it must be a whole number of 64 bits"],
    ['Integer', 'Between', '1', "Between takes two values separated by one ';'"],
    ['Boolean', 'Greater', '1', 'Greater is not for field 8, of type Boolean'],
    ['Boolean', 'Equal', 'maybe', "'maybe' does not fit field 8: it must be true, false, 1 or 0"],
    ['List', 'Equal', 'Mars', "'Mars' does not fit field 104: it must be one of the list's keys: 1, 2"],
    ['List', 'Between', '1;2', 'Between is not for field 104, of type List'],
    ['Date', 'Equal', 'soon', "'soon' does not fit field 103: it must be a date, yyyy-MM-dd or"],
    ['Date', 'Equal', '2026-07-02T25:00', "'2026-07-02T25:00' does not fit field 103"],
    ['Text', 'HasValue', 'x', 'the value must be empty, since HasValue compares with nothing'],
    ['Date', 'Anniversary', '3', 'the value must be empty'],
    ['Text', 'Contains', '', 'Contains needs a value'],
    ['Text', 'In', 'a;;b', "In takes values separated by ';', none of them empty"],
    ['Integer', 'Between', '5;1', 'the first value of Between must not be greater than the second'],
    ['Integer', 'Equal', '9223372036854775808', 'must be a whole number of 64 bits'],
    ['Text', 'LastDays', '3', 'LastDays is not for field 101, of type Text'],
    ['Date', 'LastDays', 'x', 'the value must be a whole number of days from 0 to 36500'],
    ['Date', 'NextDays', undefined, 'NextDays needs a value'],
  ])('%s %s %s', (type, operator, value, message) => {
    expect(() => conditionTest(fieldOf[type], operator, value)).toThrow(message);
  });
});

test('a long list is looked through once, however many conditions compare with it', () => {
  const length = 1_000;
  let reads = 0;
  const list = Array.from({ length }, (_, key) => ({
    key,
    get value() {
      reads++;
      return `É${key}`;
    },
  }));
  const field: TagField = { id: 104, fieldType: 'List', list };
  for (let n = 0; n < length; n++) {
    expect(conditionTest(field, 'In', `e${n};É${(n + 1) % length};999`)(n, now)).toBe(true);
    expect(conditionTest(field, 'Contains', `e${n}`)(n, now)).toBe(true);
  }
  // For the keys by text, and for the texts by key.
  expect(reads).toBe(2 * length);
});
