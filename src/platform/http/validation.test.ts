import { describe, expect, it } from 'vitest';
import {
  Closed,
  Code,
  Line,
  Maybe,
  MergedReference,
  OneOf,
  Reference,
  Text,
  Timestamp,
  Type,
} from './schema.ts';
import { replyBreach } from './validation.ts';

const Thing = Closed('Thing', {
  line: Type.Optional(Line(5)),
  text: Type.Optional(Text(5)),
  word: Type.Optional(Type.String({ pattern: '^[a-z]*$', description: 'a word in lower case' })),
  code: Type.Optional(Type.String({ pattern: '^[0-9]*$' })),
});

const Sized = Closed('Sized', {
  number: Type.Optional(Type.Integer({ minimum: 2, maximum: 5 })),
  word: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
  list: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 2 })),
  nothing: Type.Optional(Type.Null()),
});

describe('what a size requests', () => {
  it.each([
    [{ number: 1 }, 'number: must be at least 2'],
    [{ number: 6 }, 'number: must be at most 5'],
    [{ number: 2.5 }, 'number: must be an integer'],
    [{ word: '' }, 'word: must have at least 1 character'],
    [{ word: 'abcdef' }, 'word: must have at most 5 characters'],
    [{ list: [] }, 'list: must have at least 1 item'],
    [{ list: [1, 2, 3] }, 'list: must have at most 2 items'],
    [{ list: [1, -1] }, 'list[1]: must be at least 0'],
    [{ nothing: {} }, 'nothing: must be null'],
  ])('%j', (data, error) => {
    expect(replyBreach(Sized, data)).toBe(error);
  });
});

describe('what a pattern requests', () => {
  it.each([
    [{ line: 'a\nb' }, 'line: holds characters that are not allowed (control characters or line ends)'],
    [{ text: 'a\0b' }, 'text: holds characters that are not allowed (NUL or half a surrogate pair)'],
    [{ word: 'A' }, 'word: must be a word in lower case'],
    [{ code: 'A' }, 'code: must match ^[0-9]*$'],
  ])('%j', (data, error) => {
    expect(replyBreach(Thing, data)).toBe(error);
  });
});

describe('what an integer that stands for a meaning requests', () => {
  const Coded = Closed('Coded', { unit: Maybe(Code({ 1: 'hours', 2: 'days', 5: 'weeks' }, 'The unit')) });
  it.each([0, 3, 2.5, '1', -(2 ** 40)])('%j', (unit) => {
    expect(replyBreach(Coded, { unit })).toBe('unit: must be 1 (hours), 2 (days) or 5 (weeks)');
  });
  it.each([1, 2, 5, null])('takes %j', (unit) => {
    expect(replyBreach(Coded, { unit })).toBeUndefined();
  });
  it('the reference names the meanings', () => {
    expect(Code({ 1: 'hours', 2: 'days' }, 'The unit')).toMatchObject({
      enum: [1, 2],
      'x-enum-descriptions': ['hours', 'days'],
      description: 'The unit: 1 (hours) or 2 (days)',
    });
  });
});

describe('references with values that name no record', () => {
  const References = Closed('References', {
    idParent: Reference('target', 'The one above'),
    idMerged: MergedReference('target'),
    inside: Maybe(Closed('Inside', { idParent: Reference('target'), idMerged: MergedReference('target') })),
    list: Type.Optional(Type.Array(Closed('Item', { idParent: Reference('target') }))),
  });
  it.each([
    [
      { idParent: 0, idMerged: 0 },
      { idParent: null, idMerged: null },
    ],
    [{ idParent: -0 }, { idParent: null }],
    [{ idParent: null, idMerged: null }, { idParent: null }],
    [{}, {}],
    [
      { idParent: 1, idMerged: 2 ** 31 - 1 },
      { idParent: 1, idMerged: 2 ** 31 - 1 },
    ],
    [{ inside: { idParent: 0, idMerged: null } }, { inside: { idParent: null } }],
    [{ inside: null }, { inside: null }],
    [{ list: [{ idParent: 0 }, { idParent: 3 }] }, { list: [{ idParent: null }, { idParent: 3 }] }],
  ])('%j becomes %j', (data, after) => {
    expect(replyBreach(References, data)).toBeUndefined();
    expect(data).toStrictEqual(after);
  });
  it.each([
    [-1, 'idParent: must be at least 0'],
    [0.5, 'idParent: must be an integer'],
    ['0', 'idParent: must be an integer'],
    ['', 'idParent: must be an integer'],
    [false, 'idParent: must be an integer'],
    [2 ** 31, 'idParent: must be at most 2147483647'],
  ])('%j is refused', (idParent, error) => {
    expect(replyBreach(References, { idParent })).toBe(error);
  });
  it('the reference says it', () => {
    const said = (schema: object) => JSON.stringify(schema);
    expect(said(Reference('target', 'The one above'))).toContain('"The one above; 0 or null: none"');
    expect(said(MergedReference('target'))).toContain('"0: none; null: as left out"');
  });
});

describe('what a date-time requests', () => {
  const Timed = Closed('Timed', { at: Maybe(Timestamp()) });
  const example = '2026-12-24T08:30:00+01:00, or 2026-12-24T07:30:00Z';
  const noOffset = `at: has no offset from UTC, so that it could be several instants; as ${example}`;
  const noTime = `at: must be an ISO 8601 date-time with an offset from UTC, for example ${example}`;
  it.each([
    ['2026-12-24T08:30:00', noOffset],
    ['2026-12-24 08:30', noOffset],
    ['2026-12-24T08:30:00.123', noOffset],
    ['2026-12-24', noTime],
    ['tomorrow', noTime],
    ['2026-02-30T08:30:00Z', 'at: is no date and time of the calendar'],
    ['2026-02-20T08:30:00+25:00', 'at: is no date and time of the calendar'],
    [
      '2026-02-20T08:30:00 01:00',
      'at: has a space before its offset from UTC; the + of an offset is written %2B in an address',
    ],
    ['', noTime],
  ])('%j', (at, error) => {
    expect(replyBreach(Timed, { at })).toBe(error);
  });
});

it('the empty word of a closed list can be seen', () => {
  const Worded = Closed('Worded', { word: OneOf(['', 'Subject']) });
  expect(replyBreach(Worded, { word: 'x' })).toBe("word: must be one of '', Subject");
});
