import { expect, test } from 'vitest';
import { filterKinds } from './filters/filter-kinds.ts';
import { parametersOf, showTarget } from './target.ts';

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

test('every kind of filter has a flag of the target', () => {
  for (const { kind, flag } of filterKinds) {
    const target = {
      id: 1,
      creationDate: new Date(0),
      lastUpdateDate: new Date(0),
      isArchived: false,
      isSafe: false,
      parameters: parametersOf({ name: 'a' }),
    };
    expect(showTarget({ ...target, kinds: [kind] })).toMatchObject({ [flag]: true });
    expect(showTarget({ ...target, kinds: [] })).toMatchObject({ [flag]: false });
  }
});

test('a name is kept without the spaces around it', () => {
  expect(parametersOf({ name: ' Actifs\u00a0' }).name).toBe('Actifs');
});
