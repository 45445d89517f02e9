import { expect, it } from 'vitest';
import { Bool, Code, Id, Int32, Line, OneOf, Query, Type } from './schema.ts';
import { textReader } from './text-reader.ts';

const members = Query({
  id: Id(),
  ids: Type.Array(Int32()),
  words: Type.Array(Line(9)),
  is: Bool(),
  word: OneOf(['a', '1']),
  unit: Code({ 1: 'hours', 2: 'days' }, 'The unit'),
  text: Line(9),
});
const read = (values: Record<string, unknown>) => {
  textReader(members)(values);
  return values;
};

it.each([
  [{ id: '7' }, { id: 7 }],
  [{ id: '-7' }, { id: -7 }],
  [{ id: '007' }, { id: 7 }],
  [{ unit: '2' }, { unit: 2 }],
  [{ is: 'true' }, { is: true }],
  [{ is: 'false' }, { is: false }],
  [{ ids: '7' }, { ids: [7] }],
  [{ ids: ['7', 'x', '8'] }, { ids: [7, 'x', 8] }],
  [{ words: '7' }, { words: ['7'] }],
  [{ word: '1' }, { word: '1' }],
  [{ text: '1' }, { text: '1' }],
  [{ other: '1' }, { other: '1' }],
])('%j is %j', (given, expected) => {
  expect(read(given)).toEqual(expected);
});

it.each(['0x10', '1e1', ' ', '', ' 7', '7 ', '+7', '7.0', '.', '1_0', 'Infinity', '٧', '7\n', 'null'])(
  '%j is no whole number',
  (text) => {
    expect(read({ id: text, ids: [text] })).toEqual({ id: text, ids: [text] });
  },
);

it.each(['1', '0', 'TRUE', 'yes', ''])('%j is no boolean', (is) => {
  expect(read({ is })).toEqual({ is });
});

it('refuses a member that no text can be, when the server is made', () => {
  const Odd = Query({ filter: Type.Object({}) });
  expect(() => textReader(Odd)).toThrow('filter: nothing in a path or a query can be of this type');
});
