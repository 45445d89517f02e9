import { describe, expect, it } from 'vitest';
import { type Field, makeField } from '../fields/field.ts';
import type { DbValue } from '../fields/field-value.ts';
import type { SpecialCell } from '../files/table.ts';
import { cellReader, keyReader } from './cell.ts';

const field = (fieldType: Field['fieldType'], rest: Partial<Pick<Field, 'length' | 'list'>> = {}) =>
  makeField(101, { name: 'F', fieldType, ...rest });
const text = field('Text', { length: 10 });
const list = field('List', {
  list: [
    { key: 1, value: 'Paris' },
    { key: -3, value: ' Nîmes ' },
    { key: 2, value: '1' },
  ],
});
const likes = field('List', {
  list: [
    { key: 1, value: 'Été' },
    { key: 2, value: 'été' },
    { key: 3, value: 'Mer' },
    { key: 4, value: 'Ski' },
    { key: 5, value: 'Ski' },
  ],
});
const noon = new Date('2026-07-01T10:00:00Z');

describe('cellReader', () => {
  it.each<[string, Field, string, string, DbValue, SpecialCell?]>([
    ['text, trimmed of every kind of space, in NFC', text, '', '\u00a0\u2003E\u0301a\u202f ', 'Éa'],
    ['an empty cell', text, '', ' \u00a0', null],
    ['a number with its sign', field('Integer'), '', '+12', '12'],
    ['the largest number', field('Integer'), '', '9223372036854775807', '9223372036854775807'],
    ['a date of a format', field('Date'), 'dd/MM/yyyy HH:mm', '01/07/2026 12:00', noon],
    ['a date of another format', field('Date'), 'yyyyMMdd', '20260702', new Date('2026-07-01T22:00:00Z')],
    ['a date without a format', field('Date'), '', '2026-07-01 12:00', noon],
    ['an instant without a format', field('Date'), '', '2026-07-01T10:00:00Z', noon],
    [
      "a sheet's date, whatever the format",
      field('Date'),
      'yyyy-dd-MM HH:mm:ss',
      '2026-07-01 12:00:00',
      noon,
      'date',
    ],
    ["a sheet's date as a text", text, '', '2026-07-01', '2026-07-01', 'date'],
    ['a truth', field('Boolean'), '', 'Oui', true],
    ['a falsehood', field('Boolean'), '', 'N', false],
    ['a key of a list', list, '', '-3', -3],
    ['a key, said so', list, 'KEY', '1', 1],
    ['a value of a list, in any case and composition', list, 'value', 'ni\u0302MES', -3],
    ['a value that is the key of another', list, 'VALUE', '1', 2],
    ['the first of two values that differ in case', likes, 'VALUE', 'Été', 1],
    ['the second of them', likes, 'VALUE', 'e\u0301te\u0301', 2],
    ['a value that no other is like, in another case', likes, 'VALUE', 'MER', 3],
    ['a key whose value others have', likes, 'KEY', '4', 4],
  ])('reads %s', (_what, of, format, cell, value, special) => {
    expect(cellReader(of, format)(cell, special)).toEqual(value);
  });

  it.each<[string, Field, string, string, SpecialCell?]>([
    ['must have at most 10 characters', text, '', 'x'.repeat(11)],
    ['must be well-formed Unicode', text, '', 'a\0'],
    ['must be a whole number', field('Integer'), '', '1,5'],
    ['not a date of the format dd/MM/yyyy', field('Date'), 'dd/MM/yyyy', '07-01-2026'],
    ['not a date of the format yyyy-dd-MM', field('Date'), 'yyyy-dd-MM', '2026-05-13'],
    ['not a date of the format ISO 8601', field('Date'), '', '01/07/2026'],
    ['must be 1 or 0, true or false', field('Boolean'), '', 'peut-être'],
    ['must be a key of its list', list, '', 'Paris'],
    ['must be a value of its list', list, 'VALUE', '7'],
    ['several keys of its list have this value: use the format KEY', likes, 'VALUE', 'Ski'],
    ['several keys of its list have this value', likes, 'VALUE', 'ÉTÉ'],
    ['the error #N/A', text, '', '#N/A', 'error'],
    ['a formula without its result', text, '', '', 'error'],
  ])('refuses what it %s', (rule, of, format, cell, special) => {
    expect(() => cellReader(of, format)(cell, special)).toThrow(`Field 101 (F): ${rule}`);
  });

  it.each([
    ['forty', ''],
    ['+', ''],
    ['1.0', ''],
    ['9223372036854775808', ' from -9223372036854775808 to 9223372036854775807'],
    [`-1${'0'.repeat(30)}`, ' from -9223372036854775808 to 9223372036854775807'],
  ])('refuses %s as a whole number, and says the range when it is out of it', (cell, range) => {
    expect(() => cellReader(field('Integer'), '')(cell)).toThrow(
      new RegExp(`^Field 101 \\(F\\): must be a whole number${range}$`),
    );
  });

  it.each<[Field, string, string]>([
    [list, 'NAME', 'the format of a List is KEY or VALUE'],
    [field('Date'), 'MM/yyyy', 'must name day'],
    [field('Date'), 'dd/dd/MM/yyyy', 'must name day'],
  ])('refuses a format that does not fit', (of, format, rule) => {
    expect(() => cellReader(of, format)).toThrow(rule);
  });
});

it('keyReader refuses an empty key', () => {
  expect(() => keyReader(text)(' ')).toThrow('Field 101 (F): the key is empty');
  expect(keyReader(text)(' k ')).toBe('k');
});
