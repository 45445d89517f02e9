import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Field, makeField } from './field.ts';
import { normaliseText, parseValue, showValue } from './field-value.ts';

const text = makeField(101, { name: 'City', fieldType: 'Text', length: 5 });
const integer = makeField(102, { name: 'Age', fieldType: 'Integer' });
const date = makeField(103, { name: 'Born', fieldType: 'Date' });
const boolean = makeField(104, { name: 'VIP', fieldType: 'Boolean' });
const list = makeField(105, {
  name: 'Size',
  fieldType: 'List',
  list: [
    { key: 1, value: 'S' },
    { key: -2, value: 'L' },
  ],
});
const system = (id: number, of: Field): Field => ({ ...of, id, isSystem: true });

describe('parseValue and showValue', () => {
  it.each([
    [text, 'Paris', 'Paris'],
    [text, '', null],
    [text, '🏠🏠🏠🏠🏠', '🏠🏠🏠🏠🏠'],
    [text, 'a\nb', 'a\nb'],
    [integer, 0, 0],
    [integer, -7, -7],
    [integer, '12', 12],
    [integer, 9007199254740991, 9007199254740991],
    [integer, '9007199254740993', '9007199254740993'],
    [integer, '-9223372036854775808', '-9223372036854775808'],
    [integer, '9223372036854775807', '9223372036854775807'],
    [date, '2026-01-31T09:30:00+01:00', '2026-01-31T08:30:00.000Z'],
    [date, '2026-01-31T09:30:00.123456Z', '2026-01-31T09:30:00.123Z'],
    [date, '2024-02-29t00:00z', '2024-02-29T00:00:00.000Z'],
    [date, '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    [date, '9999-12-31T23:59:59+0100', '9999-12-31T22:59:59.000Z'],
    [date, '2026-01-31T00:00:00+15:59', '2026-01-30T08:01:00.000Z'],
    [date, '2026-01-31T00:00:00-15:59', '2026-01-31T15:59:00.000Z'],
    [boolean, true, true],
    [boolean, false, false],
    [list, -2, -2],
    [system(7, integer), 1, 1],
    [system(8, boolean), true, 1],
    [system(8, boolean), 0, 0],
    [system(8, boolean), null, null],
    [system(41, text), 'fr', 'FR'],
  ])('%j: %j is shown as %j', (field, given, shown) => {
    expect(showValue(field, parseValue(field, given))).toStrictEqual(shown);
  });

  it.each([
    [text, 'Angers', 'Field 101 (City): must have at most 5 characters'],
    [text, '🏠🏠🏠🏠🏠🏠', 'at most 5'],
    [text, 5, 'must be a string'],
    [text, {}, 'must be a string'],
    [text, 'a\0', 'without NUL'],
    [text, 'a\ud800', 'well-formed'],
    [text, undefined, 'must be a string'],
    [integer, 1.5, 'whole number'],
    [integer, 9007199254740992, 'whole number'],
    [integer, Number.NaN, 'whole number'],
    [integer, '9223372036854775808', 'must be from'],
    [integer, '1e3', 'whole number'],
    [integer, ' 1', 'whole number'],
    [integer, '0x10', 'whole number'],
    [integer, true, 'whole number'],
    [integer, [1], 'whole number'],
    [date, '2026-01-31', 'ISO 8601'],
    [date, '2026-01-31T09:30:00', 'ISO 8601'],
    [date, '2026-02-30T00:00:00Z', 'ISO 8601'],
    [date, '2025-02-29T00:00:00Z', 'ISO 8601'],
    [date, '2026-13-01T00:00:00Z', 'ISO 8601'],
    [date, '2026-01-01T24:00:00Z', 'ISO 8601'],
    [date, '2026-01-01T00:00:60Z', 'ISO 8601'],
    [date, '0000-01-01T00:00:00Z', 'ISO 8601'],
    [date, '9999-12-31T23:00:00-01:00', 'ISO 8601'],
    [date, '2026-01-31T00:00:00+16:00', 'ISO 8601'],
    [date, '0001-01-01T00:00:00+01:00', 'ISO 8601'],
    [date, 'now', 'ISO 8601'],
    [date, 1_700_000_000, 'ISO 8601'],
    [boolean, 1, 'true or false'],
    [boolean, 'true', 'true or false'],
    [list, 3, 'key of its list'],
    [list, '1', 'key of its list'],
    [system(7, integer), 2, 'must be from 0 to 1'],
    [system(7, integer), null, 'cannot be emptied'],
    [system(8, boolean), 2, '0 or 1'],
    [system(44, integer), 4, 'must be from 0 to 3'],
    [system(41, text), 'F1', 'country code'],
  ])('%j refuses %j', (field, given, message) => {
    expect(() => parseValue(field, given)).toThrow(message);
  });

  it('trims and composes texts, and takes a blank one for no value, of every type', () => {
    expect(parseValue(text, '\u00a0 e\u0301te\u0301 \t')).toBe('été');
    for (const field of [text, integer, date, boolean, list]) expect(parseValue(field, ' \u00a0')).toBeNull();
  });

  it('shows what was given, for any value of each type', () => {
    const long = { ...text, length: 10_000 };
    const values: fc.Arbitrary<[Field, unknown]>[] = [
      fc.tuple(
        fc.constant(long),
        fc
          .string({ unit: 'grapheme', minLength: 1 })
          .filter((one) => !one.includes('\0'))
          .map(normaliseText)
          .filter((one) => one !== ''),
      ),
      fc.tuple(fc.constant(integer), fc.maxSafeInteger()),
      fc.tuple(
        fc.constant(date),
        fc
          .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
          .map((at) => at.toISOString()),
      ),
      fc.tuple(fc.constant(boolean), fc.boolean()),
      fc.tuple(fc.constantFrom(...[text, integer, date, boolean, list]), fc.constant(null)),
    ];
    fc.assert(
      fc.property(fc.oneof(...values), ([field, value]) => {
        expect(showValue(field, parseValue(field, value))).toStrictEqual(value);
      }),
    );
  });

  it('never lets anything but a refusal out, whatever JSON comes', () => {
    fc.assert(
      fc.property(fc.constantFrom(text, integer, date, boolean, list), fc.jsonValue(), (field, value) => {
        try {
          parseValue(field, value);
        } catch (error) {
          expect(error).toMatchObject({ name: 'Refusal', status: 400 });
        }
      }),
    );
  });
});
