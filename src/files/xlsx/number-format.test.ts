import { describe, expect, it } from 'vitest';
import { kindOfBuiltIn, kindOfCode, numberText } from './number-format.ts';

describe('kindOfCode', () => {
  it.each<[string, ReturnType<typeof kindOfCode>]>([
    ['General', 'plain'],
    ['0', 'plain'],
    ['0.00', 'plain'],
    ['#,##0.00 "days"', 'plain'],
    ['0.00E+00', 'plain'],
    ['@', 'plain'],
    ['[Red]0;[Blue]-0', 'plain'],
    ['0 \\d', 'plain'],
    ['_-* #,##0.00\\ [$€-40C]_-', 'plain'],
    ['[h]:mm', 'plain'],
    ['00000', { zeros: 5 }],
    ['0#" "##" "##" "##" "##', { zeros: 10 }],
    ['00\\-00', { zeros: 4 }],
    ['#" "##0', 'plain'],
    ['dd/mm/yyyy', 'date'],
    ['d/m/yy h:mm', 'date'],
    ['[$-40C]d mmmm yyyy;@', 'date'],
    ['yyyy', 'date'],
    ['mmm', 'date'],
    ['yyyy\\-mm\\-dd', 'date'],
    ['0;dd/mm/yyyy', 'plain'],
    ['h:mm', 'time'],
    ['mm:ss.0', 'time'],
    ['h:mm AM/PM', 'time'],
  ])('%s', (code, kind) => {
    expect(kindOfCode(code)).toEqual(kind);
  });
});

it('kindOfBuiltIn tells dates from times and numbers', () => {
  const ids = Array.from({ length: 60 }, (_, id) => id);
  expect(ids.filter((id) => kindOfBuiltIn(id) === 'date')).toEqual([
    ...[14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36],
    ...[50, 51, 52, 53, 54, 55, 56, 57, 58],
  ]);
  expect(ids.filter((id) => kindOfBuiltIn(id) === 'time')).toEqual([18, 19, 20, 21, 32, 33, 34, 35, 45, 47]);
});

describe('numberText', () => {
  it.each([
    ['12', '12'],
    ['-5', '-5'],
    ['33612345678', '33612345678'],
    ['1.0', '1'],
    ['0.30000000000000004', '0.3'],
    ['4.3499999999999996', '4.35'],
    ['1E+20', '100000000000000000000'],
    ['1.5E-7', '0.00000015'],
    ['-2.5E-3', '-0.0025'],
    ['1234567890123456789', '1234567890123456789'],
    ['1.2345678901234568E+17', '123456789012346000'],
    ['1E-30', '0'],
    ['many', 'many'],
    ['', ''],
  ])('writes %j as %s', (value, text) => {
    expect(numberText(value, 'plain', false)).toEqual({ text, isDate: false });
  });

  it.each<[string, string]>([
    ['1', '1900-01-01'],
    ['59', '1900-02-28'],
    ['61', '1900-03-01'],
    ['25569', '1970-01-01'],
    ['45000.25', '2023-03-15 06:00:00'],
    ['46204.520833333336', '2026-07-01 12:30:00'],
    ['46204.00001158', '2026-07-01 00:00:01.001'],
    ['2958465.999', '9999-12-31 23:58:33.600'],
  ])('dates day %s as %s', (value, text) => {
    expect(numberText(value, 'date', false)).toEqual({ text, isDate: true });
  });

  it.each(['-1', '2958466', 'x', ''])('takes %j for no date', (value) => {
    expect(numberText(value, 'date', false)).toEqual({ text: value, isDate: false });
  });

  it('counts from 1904, writes times alone, and gives zeros back', () => {
    expect(numberText('0', 'date', true)).toEqual({ text: '1904-01-01', isDate: true });
    expect(numberText('44742.5', 'date', true)).toEqual({ text: '2026-07-01 12:00:00', isDate: true });
    expect(numberText('0.5', 'time', false)).toEqual({ text: '12:00:00', isDate: false });
    expect(numberText('1000', { zeros: 5 }, false)).toEqual({ text: '01000', isDate: false });
    expect(numberText('-1.5', { zeros: 5 }, false)).toEqual({ text: '-1.5', isDate: false });
  });
});
