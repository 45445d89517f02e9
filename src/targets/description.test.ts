import { test } from 'vitest';
import type { Language } from '../fields/period.ts';
import { siteWithRecords } from '../testing/filter-site.ts';
import { expectGolden } from '../testing/golden.ts';
import { describeTarget } from './description.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import { type FilterKindName, filterKinds } from './filters/filter-kinds.ts';
import { PostcodeTable } from './places/postcode-table.ts';
import { parametersOf, type TargetDefinition } from './target.ts';

const paris = { country: 'FRANCE', code: '75001', latitude: 48.86, longitude: 2.34 } as const;
const site = siteWithRecords({ postcodes: new PostcodeTable([paris]) });
const subscribed: TargetFilter = {
  idTarget: 1,
  kind: 'field',
  isEnabled: true,
  definition: { filters: [{ idField: 7, operator: 'Equal', value: '0' }] },
};

/** Definitions with texts of users, in no order: a description has its own. */
const hostile: Readonly<Partial<Record<FilterKindName, Record<string, unknown>>>> = {
  file: { filename: '<i>.csv', dbFieldName: 'fld101', fileAutomaticDeletionDate: '2026-12-31T22:30:00.000Z' },
  sql: { sql: "fld101 < '<b>' & 1" },
  geolocation: {
    country: 'FRANCE',
    postcode: '75001',
    radius: 5,
    excludePostCodes: null,
    departmentIds: '2A',
  },
  emailPressure: { operatorRequest: 'LOWER', nbRequest: 4, type: 'Since', fromTime: 30, timeType: 2 },
  sending: { hasReceived: false, combinaisonMode: 'Union', idSentList: '12' },
  thematic: {
    didAnAction: true,
    action: 'Click',
    fromNbDays: 30,
    combinaison: 'Union',
    idsThematics: [31, 32],
  },
  behaviour: { didAnAction: true, action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 30, filterMpp: true },
  field: subscribed.definition,
};
/** A definition of each kind; the example of any other one. */
const ofEveryKind = {
  ...hostile,
  ...Object.fromEntries(
    filterKinds.filter(({ kind }) => !(kind in hostile)).map(({ kind, example }) => [kind, example]),
  ),
};

function describeOne(given: Partial<Parameters<typeof parametersOf>[0]>, filters: TargetFilter[]) {
  const target: TargetDefinition = {
    id: 1,
    filters,
    parameters: parametersOf({ name: 'Actifs', ...given }),
  };
  const names = new Map([[9, '<img src=x onerror="alert(1)"> & fils']]);
  return (language: Language) => describeTarget(target, names, site, language);
}

test('descriptions', async () => {
  await expectGolden('description.golden.txt', {
    'no filter': describeOne({ name: 'Tous' }, []),
    'one filter, a hostile name': describeOne({ name: '<b>Actifs</b>' }, [subscribed]),
    'a filter that is disabled, a share at random': describeOne({ pctSelect: 80, isRandomMode: true }, [
      { ...subscribed, isEnabled: false },
    ]),
    'every kind, hostile where users write': describeOne(
      {},
      Object.entries(ofEveryKind).map(([kind, definition], i) => ({
        idTarget: 1,
        kind,
        isEnabled: i !== 3,
        definition,
      })),
    ),
    'targets that are excluded, a maximum': describeOne({ maxSelect: 500, excludedTargets: [9, 10] }, [
      subscribed,
    ]),
  });
});
