import { describe, expect, it } from 'vitest';
import {
  changeField,
  columnNameOf,
  type FieldChange,
  isWritable,
  makeField,
  type NewField,
  selectOf,
} from './field.ts';

const sizes = [{ key: 1, value: 'S' }];

describe('makeField', () => {
  it('keeps a name without the spaces around it, made or changed', () => {
    const made = makeField(101, { name: ' City\u00a0', fieldType: 'Integer' });
    expect(made.name).toBe('City');
    expect(changeField(made, { id: 101, name: '  Town ' }).name).toBe('Town');
  });

  it('fills what is omitted', () => {
    expect(makeField(101, { name: 'City', fieldType: 'Text', length: 20 })).toEqual({
      id: 101,
      name: 'City',
      fieldType: 'Text',
      length: 20,
      list: null,
      description: '',
      isSystem: false,
      isVisible: true,
      isEditable: true,
      isHiddenByCustomer: false,
    });
  });

  it('takes null for what is omitted', () => {
    const given: NewField = { id: null, name: 'City', fieldType: 'Date', length: null, list: null };
    const nothing = { description: null, isSystem: null, isVisible: null, isEditable: null };
    expect(makeField(101, { ...given, ...nothing, isHiddenByCustomer: null })).toEqual(
      makeField(101, { name: 'City', fieldType: 'Date' }),
    );
  });

  it.each<[string, NewField]>([
    ['id: is given by the service', { id: 101, name: 'a', fieldType: 'Date' }],
    ['length: a Text field needs', { name: 'a', fieldType: 'Text' }],
    ['length: a Text field needs', { name: 'a', fieldType: 'Text', length: 0 }],
    ['length: only a Text', { name: 'a', fieldType: 'Integer', length: 3 }],
    ['list: a List field needs', { name: 'a', fieldType: 'List' }],
    ['list: a List field needs', { name: 'a', fieldType: 'List', list: [] }],
    ['list: the key 1 is listed twice', { name: 'a', fieldType: 'List', list: [...sizes, ...sizes] }],
    [
      'list: the value of the key 1 is blank',
      { name: 'a', fieldType: 'List', list: [{ key: 1, value: ' ' }] },
    ],
    ['list: only a List', { name: 'a', fieldType: 'Date', list: sizes }],
    ['name: must not be blank', { name: ' ', fieldType: 'Date' }],
  ])('%s: %j', (message, given) => {
    expect(() => makeField(101, given)).toThrow(message);
  });

  it('takes 0 and [] for “none” with other types', () => {
    expect(makeField(101, { name: 'a', fieldType: 'Date', length: 0, list: [] })).toMatchObject({
      length: null,
      list: null,
    });
  });
});

describe('changeField', () => {
  const city = makeField(101, { name: 'City', fieldType: 'Text', length: 20, description: 'Where' });

  it.each<[FieldChange, object]>([
    [
      { id: 101, name: 'Town' },
      { name: 'Town', length: 20, description: 'Where' },
    ],
    [{ id: 101, description: '' }, { description: '' }],
    [
      {
        id: 101,
        name: null,
        fieldType: null,
        length: null,
        list: null,
        description: null,
        isSystem: null,
        isVisible: null,
        isEditable: null,
        isHiddenByCustomer: null,
      },
      city,
    ],
    [{ id: 101, name: 'City', fieldType: 'Text' }, city],
    [{ id: 101, length: 30 }, { length: 30 }],
    [{ id: 101, length: 0, list: [] }, city],
    [
      { id: 101, fieldType: 'List', list: sizes },
      { fieldType: 'List', list: sizes, length: null },
    ],
    [
      { id: 101, fieldType: 'Boolean' },
      { fieldType: 'Boolean', length: null },
    ],
    [
      { id: 101, isVisible: false, isHiddenByCustomer: true },
      { isVisible: false, isHiddenByCustomer: true },
    ],
  ])('%j', (change, expected) => {
    expect(changeField(city, change)).toMatchObject(expected);
  });

  it('needs a length on the way to Text and a list on the way to List', () => {
    const date = makeField(102, { name: 'a', fieldType: 'Date' });
    for (const list of [undefined, null, []])
      expect(() =>
        changeField(city, { id: 101, fieldType: 'List', ...(list !== undefined && { list }) }),
      ).toThrow('list: a List field needs');
    expect(() => changeField(date, { id: 102, fieldType: 'Text', length: 0 })).toThrow(
      'length: a Text field needs',
    );
    expect(() => changeField(date, { id: 102, fieldType: 'Text' })).toThrow('length: a Text field needs');
  });

  it('keeps a list that is given empty', () => {
    const size = makeField(103, { name: 'Size', fieldType: 'List', list: sizes });
    expect(changeField(size, { id: 103, name: 'Sizes', length: 0, list: [] })).toEqual({
      ...size,
      name: 'Sizes',
    });
  });

  it('refuses system fields', () => {
    expect(() => changeField({ ...city, id: 5, isSystem: true }, { id: 5, name: 'x' })).toThrow(
      'system field',
    );
    expect(() => changeField(city, { id: 101, isSystem: true })).toThrow('isSystem');
  });
});

it('names columns by the id alone', () => {
  expect(columnNameOf({ id: 101 })).toBe('fld101');
  expect(selectOf({ id: 43, fieldType: 'Integer' }).text).toBe('"fld43"::text as "fld43"');
  expect([0, 1, 2, 7, 37, 40, 42, 101].filter((id) => isWritable({ id }))).toEqual([1, 7, 40, 101]);
});
