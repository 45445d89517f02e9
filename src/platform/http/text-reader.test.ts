import { expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { Bool, Code, Id, Int32, Line, OneOf, Query, Type } from './schema.ts';
import { textReader } from './text-reader.ts';
import { explain, validatorCompiler } from './validation.ts';

const members = Query({
  id: Id('target'),
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

/** The whole numbers that operations take in paths and queries: where, and the schema of that member alone. */
const wholeNumbers = operations.flatMap((operation) =>
  ([operation.params, operation.query] as const).flatMap((schema) =>
    Object.entries(schema?.properties ?? {})
      .filter(([, member]) => isWholeNumber(member))
      .map(([name, member]) => [`${operation.id} ${name}`, name, Query({ [name]: member })] as const),
  ),
);
function isWholeNumber(member: object): boolean {
  const { type, items } = member as { readonly type?: string; readonly items?: object };
  return type === 'integer' || (items !== undefined && isWholeNumber(items));
}

it.each(wholeNumbers)('%s is refused by name when it is written in another way', (_, name, schema) => {
  const check = validatorCompiler({ schema, method: 'GET', url: '/', httpPart: 'querystring' });
  const said = (text: string) => check({ [name]: text }) || explain((check.errors ?? []) as never, 'query');
  expect(said('0x10')).toMatch(
    new RegExp(`^${name.replace('.', '\\.')}(\\[0\\])?: must be (an integer|\\d)`),
  );
  for (const text of ['1e1', ' ', '+1', '1.0', '']) expect(said(text)).toBe(said('0x10'));
});

it('operations take whole numbers in paths and queries', () => {
  expect(wholeNumbers.length).toBeGreaterThan(60);
});

it.each(['1', '0', 'TRUE', 'yes', ''])('%j is no boolean', (is) => {
  expect(read({ is })).toEqual({ is });
});

it('refuses a member that no text can be, when the server is made', () => {
  const Odd = Query({ filter: Type.Object({}) });
  expect(() => textReader(Odd)).toThrow('filter: nothing in a path or a query can be of this type');
});
