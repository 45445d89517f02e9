import { expect, test } from 'vitest';
import type { TargetFilter } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import { isSafe, parametersOf, showTarget } from './target.ts';

const filter = (value: string, isEnabled: boolean): TargetFilter => ({
  idTarget: 1,
  kind: 'field',
  isEnabled,
  definition: { filters: [{ idField: 7, operator: 'Equal', value }] },
});

test('absent members take their defaults', () => {
  const defaults = {
    name: 'a',
    isTestTarget: false,
    pctSelect: 100,
    maxSelect: null,
    isRandomMode: false,
    excludedTargets: [],
  };
  expect(parametersOf({ name: 'a' })).toEqual(defaults);
  expect(parametersOf({ name: 'a', pctSelect: null, maxSelect: 0, excludedTargets: null })).toEqual(defaults);
  expect(parametersOf({ name: 'a', maxSelect: 5, pctSelect: 0, excludedTargets: [3, 2, 3] })).toMatchObject({
    maxSelect: 5,
    pctSelect: 0,
    excludedTargets: [3, 2],
  });
});

test.each([' ', '\t', 'a\ud800'])('the name %j is refused', (name) => {
  expect(() => parametersOf({ name })).toThrow('name: must');
});

test('only an enabled filter on subscribed subscribers makes a target safe', () => {
  expect(isSafe([])).toBe(false);
  expect(isSafe([filter('0', true)])).toBe(true);
  expect(isSafe([filter('0', false)])).toBe(false);
  expect(isSafe([filter('1', true)])).toBe(false);
});

test('every kind of filter has a flag of the target', () => {
  for (const { kind, flag } of filterKinds) {
    const target = {
      id: 1,
      author: 'Ada',
      createdAt: new Date(0),
      updatedAt: new Date(0),
      isArchived: false,
      parameters: parametersOf({ name: 'a' }),
    };
    const held = { idTarget: 1, kind, isEnabled: false, definition: {} };
    expect(showTarget({ ...target, filters: [held] })).toMatchObject({ [flag]: true });
    expect(showTarget({ ...target, filters: [] })).toMatchObject({ [flag]: false });
  }
});

test('a name is kept without the blanks around it', () => {
  expect(parametersOf({ name: ' Actifs\u00a0' }).name).toBe('Actifs');
});
