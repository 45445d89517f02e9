import { expect, test } from 'vitest';
import { describeAll, readOrRefuse, siteWithRecords } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { thematicFilter } from './thematic-filter.ts';

const site = siteWithRecords();
type Given = Parameters<typeof thematicFilter.parse>[0];
const read = (given: Given) => readOrRefuse(thematicFilter, given, site);

test('a filter is kept with its defaults, and what is read can be set again', () => {
  const kept = {
    fromNbDays: 30,
    nbTime: '1',
    nbTimeAndDayOperator: 'AtLeast',
    didAnAction: true,
    action: 'Click',
    combinaison: 'Union',
    idsThematics: [32, 31],
    filterMpp: false,
  } as const;
  expect(read({ fromNbDays: 30, action: 'Click', idsThematics: [32, 31, 32] })).toEqual(kept);
  expect(read({ ...kept, idsThematics: [...kept.idsThematics] })).toEqual(kept);
});

test.each<Given>([
  thematicFilter.absent,
  { fromNbDays: 30, idsThematics: [], combinaison: 'Union', didAnAction: false, nbTime: '' },
])('%j holds no condition', (given) => expect(read(given)).toBeUndefined());

test.each<[Given, string]>([
  [
    { fromNbDays: 30, action: 'Open' },
    '400 idsThematics: must contain at least one id, since action is given',
  ],
  [{ fromNbDays: 30, idsThematics: [31] }, '400 action: must be one of Click, Open'],
  [{ fromNbDays: 30, action: 'Open', idsThematics: [31, 99] }, '404 idsThematics: Thematic 99 not found'],
  [
    { fromNbDays: 30, action: 'Open', idsThematics: [31], nbTime: '2;1', nbTimeAndDayOperator: 'Between' },
    '400 nbTime: the first number must not be greater than the second',
  ],
])('%j is refused', (given, expected) => {
  expect(read(given)).toEqual(expect.stringContaining(expected));
});

test('a thematic that no longer exists is a conflict, never another meaning', () => {
  const kept = thematicFilter.parse({ fromNbDays: 1, action: 'Open', idsThematics: [31] }, site)!;
  const expected = {
    status: 409,
    message: 'The thematic filter uses thematic 31, which no longer exists; remove it from the filter',
  };
  expect(() => thematicFilter.compile(kept, siteWithRecords({ thematics: new Map() }))).toThrow(
    expect.objectContaining(expected),
  );
});

test('the French and English of every case, with what users wrote escaped', async () => {
  const cases = describeAll(
    thematicFilter,
    [
      { fromNbDays: 90, action: 'Click', idsThematics: [31] },
      { fromNbDays: 0, action: 'Open', idsThematics: [32], didAnAction: false, filterMpp: true },
      {
        fromNbDays: 1,
        action: 'Click',
        idsThematics: [31, 32],
        nbTime: '2;5',
        nbTimeAndDayOperator: 'Between',
      },
      { fromNbDays: 90, action: 'Open', idsThematics: [31, 32], combinaison: 'Intersection' },
      {
        fromNbDays: 90,
        action: 'Click',
        idsThematics: [31, 32],
        combinaison: 'Intersection',
        didAnAction: false,
      },
    ],
    site,
  );
  await expectGolden('thematic-filter.golden.txt', cases);
});
