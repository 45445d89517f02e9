import fc from 'fast-check';
import type { ModelSite } from './activity-model.ts';
import { anyGeolocation } from './geolocation-model.ts';
import { anyFileFilter } from './random-files.ts';
import { anySqlSample } from './sql-filter-model.ts';
import { type ModelFilter, type ModelTarget, meaningsOfSql } from './target-model.ts';

type Definition = Readonly<Record<string, unknown>>;

/** Moments at which targets are evaluated, including a midnight of Paris and one after clocks changed. */
export const anyNow = fc
  .constantFrom(
    '2026-11-20T10:00:00Z',
    '2026-11-19T23:00:00Z',
    '2026-10-26T08:00:00Z',
    '2026-04-01T10:00:00Z',
  )
  .map((iso) => new Date(iso));

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const anyCombination = maybe(fc.constantFrom('Union', 'Intersection'));
const few = fc.nat(4);

const anyTimes = fc.oneof(
  fc.constant({}),
  fc.record({
    nbTime: few.map(String),
    nbTimeAndDayOperator: fc.constantFrom('AtLeast', 'Exactly', 'AtMost'),
  }),
  fc.tuple(few, few).map(([a, b]) => ({
    nbTime: `${Math.min(a, b)};${Math.max(a, b)}`,
    nbTimeAndDayOperator: 'Between',
  })),
);

const anyActs = fc
  .tuple(
    anyTimes,
    fc.record({
      didAnAction: maybe(fc.boolean()),
      action: fc.constantFrom('Click', 'Open'),
      filterMpp: maybe(fc.boolean()),
    }),
  )
  .map(([times, acts]) => ({ ...acts, ...times }));

const someOf = (ids: readonly number[]) =>
  fc.subarray([...ids], { minLength: 1, maxLength: Math.min(3, ids.length) });
const listOf = (ids: readonly number[]) => someOf(ids).map((chosen) => chosen.join(';'));
const anyDays = fc.oneof(fc.constantFrom(0, 1, 4, 5, 25, 26, 31, 60, 180), fc.nat(180));

const realSents = (site: ModelSite) => site.sents.filter((sent) => !sent.isTest).map((sent) => sent.idSent);

function anyBehaviour(site: ModelSite): fc.Arbitrary<Definition> {
  const campaigns = site.campaigns.map((one) => one.idCampaign);
  const place = fc.oneof(
    fc.record({ behaviourType: fc.constant('NbDays'), nbDaysAgo: anyDays }),
    fc.record({
      behaviourType: fc.constant('Sent'),
      idSentList: listOf(realSents(site)),
      combinaisonMode: anyCombination,
    }),
    fc.record({
      behaviourType: fc.constant('Campaign'),
      idCampaign: listOf(campaigns),
      combinaisonMode: anyCombination,
    }),
  );
  return fc.tuple(anyActs, place).map(([acts, where]) => ({ ...acts, ...where }));
}

function anyThematic(site: ModelSite): fc.Arbitrary<Definition> {
  const where = fc.record({
    fromNbDays: anyDays,
    combinaison: anyCombination,
    idsThematics: someOf(site.thematics),
  });
  return fc.tuple(anyActs, where).map(([acts, place]) => ({ ...acts, ...place }));
}

function anySending(site: ModelSite): fc.Arbitrary<Definition> {
  const sent = site.sents.filter((one) => !one.isTest).map((one) => one.idCampaign);
  return fc
    .tuple(
      fc.record({ hasReceived: fc.boolean(), combinaisonMode: anyCombination }),
      fc.oneof(
        listOf(realSents(site)).map((idSentList) => ({ idSentList })),
        listOf([...new Set(sent)]).map((idsCampaigns) => ({ idsCampaigns })),
      ),
    )
    .map(([how, where]) => ({ ...how, ...where }));
}

const anyWeeks = fc
  .record({
    today: fc.boolean(),
    thisWeek: fc.boolean(),
    lastWeek: fc.boolean(),
    twoWeeksAgo: fc.boolean(),
    threeWeeksAgo: maybe(fc.boolean()),
    fourWeeksAgo: fc.boolean(),
  })
  .filter((weeks) => Object.values(weeks).includes(true))
  .map((weeks) => ({ type: 'ByWeek', ...weeks }));

const anyBetween = fc
  .tuple(
    fc.constantFrom('2026-05-24T00:00:00+02:00', '2026-10-25T00:00:00+02:00', '2026-11-19T00:00:00+01:00'),
    fc.constantFrom(1, 24, 25, 24 * 7, 24 * 28, 24 * 179),
  )
  .map(([start, hours]) => ({
    type: 'Between',
    betweenStartDate: start,
    betweenEndDate: new Date(Date.parse(start) + hours * 3_600_000).toISOString(),
  }));

const anyPressure: fc.Arbitrary<Definition> = fc
  .tuple(
    fc.record({
      campaignType: fc.constantFrom(undefined, '', 'Newsletter', 'Unknown;Dedicated'),
      operatorRequest: fc.constantFrom('GREATER', 'GREATER_EQUAL', 'EQUAL', 'LOWER_EQUAL', 'LOWER'),
      nbRequest: fc.constantFrom(0, 1, 1, 1, 2, 2, 3, 5),
    }),
    fc.oneof(
      fc.constant({ type: 'Today' }),
      anyDays.map((fromTime) => ({ type: 'Since', timeType: 2, fromTime })),
      fc
        .constantFrom(1, 10, 11, 48, 24 * 30, 4_320)
        .map((fromTime) => ({ type: 'Since', timeType: 1, fromTime })),
      anyBetween,
      anyWeeks,
    ),
  )
  .filter(([{ operatorRequest, nbRequest }]) => operatorRequest !== 'LOWER' || nbRequest > 0)
  .map(([how, when]) => ({ ...how, ...when }));

// The operators of fields have a property of their own; these few mix with the other kinds.
const anyFieldFilter: fc.Arbitrary<Definition> = fc
  .subarray(
    [
      { idField: 7, operator: 'Equal', value: '0' },
      { idField: 101, operator: 'Contains', value: 'OD' },
      { idField: 101, operator: 'NotEqual', value: 'zoe' },
      { idField: 102, operator: 'GreaterOrEqual', value: '1' },
      { idField: 102, operator: 'HasNoValue', value: null },
      { idField: 103, operator: 'LastDays', value: '40' },
      { idField: 0, operator: 'NotIn', value: '1;2;3;4;5' },
    ],
    { minLength: 1, maxLength: 2 },
  )
  .map((filters) => ({ filters }));

/** For each kind of filter: definitions as the API takes them, about a site. */
export const anyDefinition: Readonly<Record<string, (site: ModelSite) => fc.Arbitrary<Definition>>> = {
  field: () => anyFieldFilter,
  geolocation: () =>
    anyGeolocation
      .filter(
        ({ country, postcode, excludePostCodes, departmentIds }) =>
          (country !== null && country !== '_NBCountry') ||
          [postcode, excludePostCodes, departmentIds].some((list) => list !== null),
      )
      .map((definition) => ({ ...definition })),
  sql: () =>
    anySqlSample.map(({ sql, holds }) => {
      meaningsOfSql.set(sql, holds);
      return { sql };
    }),
  file: () => anyFileFilter,
  behaviour: anyBehaviour,
  thematic: anyThematic,
  sending: anySending,
  emailPressure: () => anyPressure,
};

/** Up to five targets, of which later ones exclude earlier ones; one that draws at random is excluded by none. */
export function anyTargets(site: ModelSite): fc.Arbitrary<ModelTarget[]> {
  const anyFilters = fc
    .tuple(
      ...Object.entries(anyDefinition).map(([kind, any]) =>
        fc.option(
          fc
            .tuple(any(site), fc.nat(5))
            .map(([definition, chance]): ModelFilter => ({ kind, definition, isEnabled: chance > 0 })),
          { freq: 2 },
        ),
      ),
    )
    .map((filters) => filters.filter((filter) => filter !== null));
  const anyTarget = fc.record({
    filters: anyFilters,
    pctSelect: fc.constantFrom(100, 100, 100, 50, 33, 1, 0),
    maxSelect: fc.constantFrom(null, null, null, 1, 7, 1_000),
    isRandomMode: fc.nat(4).map((chance) => chance === 0),
    excluded: fc.array(fc.nat(4), { maxLength: 2 }),
  });
  return fc.array(anyTarget, { minLength: 1, maxLength: 5 }).map((targets) => {
    const ordered = targets.map((target, position) => ({
      ...target,
      excluded: [...new Set(target.excluded.filter((other) => other < position))],
    }));
    const named = new Set(ordered.flatMap((target) => target.excluded));
    return ordered.map((target, position) => ({
      ...target,
      isRandomMode: target.isRandomMode && !named.has(position),
    }));
  });
}
