import { actedOnThematics } from '../../activity/activity-selection.ts';
import type { Language } from '../../fields/period.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Id, Maybe, Type } from '../../platform/http/schema.ts';
import { type Action, actMembers, actsInWords, combination, groupsOf, type PlaceInWords } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { distinctIds, firstSaid, heldOf, maxNamed, mustHave, namesInWords } from './named-records.ts';
import { DaysAgo, daysInWords, lastDays } from './time-window.ts';
import { parseTimes, timesMembers, timesOf } from './times.ts';

const members = {
  fromNbDays: DaysAgo(),
  ...timesMembers,
  didAnAction: actMembers.didAnAction,
  action: actMembers.action,
  combinaison: combination(
    'Union compares the number of times over all thematics; Intersection that of each',
  ),
  idsThematics: Maybe(
    Type.Array(Id('thematic'), {
      maxItems: maxNamed,
      description:
        'Click: on links or advertisements that have one of these thematics. Open: of campaigns that have one. ' +
        'A thematic below another counts only if it is named too',
    }),
  ),
  filterMpp: actMembers.filterMpp,
};
type OnThematics = Given<typeof members>;

/** Selects by opens and clicks on contents about certain thematics. */
export const thematicFilter = filterKind({
  kind: 'thematic',
  title: 'ThematicFilter',
  heading: { fr: 'Filtre thématique', en: 'Thematics' },
  members,
  enabledMember: 'isFilterEnabled',
  flag: 'hasThematicFilter',
  absent: { fromNbDays: 0 },
  example: {
    fromNbDays: 90,
    nbTime: '1',
    nbTimeAndDayOperator: 'AtLeast',
    didAnAction: true,
    action: 'Click',
    combinaison: 'Union',
    idsThematics: [1],
  },

  needs: ({ idsThematics }) => ({ idsThematic: idsThematics ?? [] }),

  parse(given, site) {
    const { idsThematics, action } = given;
    if (!idsThematics?.length) {
      const said = firstSaid(given, whatSays);
      if (said === undefined) return undefined;
      throw invalid(`idsThematics: must contain at least one id, since ${said} is given`);
    }
    if (!action) throw invalid('action: must be one of Click, Open');
    const ids = distinctIds(idsThematics, 'idsThematics');
    mustHave(site.thematics, ids, 'Thematic', 'idsThematics');
    return {
      fromNbDays: given.fromNbDays ?? 0,
      ...parseTimes(given),
      didAnAction: given.didAnAction ?? true,
      action,
      combinaison: given.combinaison ?? 'Union',
      idsThematics: ids,
      filterMpp: given.filterMpp ?? false,
    };
  },

  compile(definition, site) {
    const { action, filterMpp, fromNbDays, combinaison, idsThematics } = definition;
    for (const id of idsThematics ?? []) heldOf(site.thematics, id, 'thematic', 'thematic');
    const groups = groupsOf(
      (idsThematics ?? []).map((id) => [id]),
      combinaison,
    );
    const period = lastDays(site.now, fromNbDays ?? 0);
    const acts = { action: action ?? 'Open', withoutMpp: filterMpp ?? false, period, groups };
    const condition = actedOnThematics(site.t, acts, timesOf(definition));
    return definition.didAnAction === false ? sql`(not (${condition}))` : sql`(${condition})`;
  },

  describe: (definition, site, language) =>
    `<ul><li>${actsInWords(definition, placeOf(definition, site, language), language)}</li></ul>`,
});

/** Properties that need a thematic; without one they would be ignored silently. */
const whatSays = ['nbTime', 'nbTimeAndDayOperator', 'didAnAction', 'action', 'filterMpp'] as const;

type Scope = 'one' | 'each' | 'total';
type PlaceWords = (action: Action, names: string, days: string) => Readonly<Record<Scope, PlaceInWords>>;
const placeWords: Readonly<Record<Language, PlaceWords>> = {
  fr(action, names, days) {
    const isClick = action === 'Click';
    const what = isClick ? 'sur des liens' : 'des campagnes';
    const none = `n’a ${isClick ? 'cliqué sur aucun lien' : 'ouvert aucune campagne'}`;
    const [one, many] = [`de la thématique ${names}, ${days}`, `des thématiques ${names}, ${days}`];
    return {
      one: { often: (times) => `${times} ${what} ${one}`, never: `${none} ${one}` },
      each: {
        often: (times) => `${times} ${what} de chacune des thématiques ${names}, ${days}`,
        never: `n’a pas ${isClick ? 'cliqué' : 'ouvert'} ${what} de toutes les thématiques ${names}, ${days}`,
      },
      total: { often: (times) => `${times} en tout ${what} ${many}`, never: `${none} ${many}` },
    };
  },
  en(action, names, days) {
    const isClick = action === 'Click';
    const what = isClick ? 'links' : 'campaigns';
    const none = isClick ? 'clicked no link' : 'opened no campaign';
    const [one, many] = [`of the thematic ${names}`, `of the thematics ${names}`];
    return {
      one: { often: (times) => `${what} ${one} ${times}, ${days}`, never: `${none} ${one}, ${days}` },
      each: {
        often: (times) => `${what} of each of the thematics ${names} ${times}, ${days}`,
        never: `did not ${isClick ? 'click' : 'open'} ${what} of all the thematics ${names}, ${days}`,
      },
      total: {
        often: (times) => `${what} ${many} ${times} in total, ${days}`,
        never: `${none} ${many}, ${days}`,
      },
    };
  },
};

function placeOf(definition: OnThematics, site: FilterSite, language: Language): PlaceInWords {
  const ids = definition.idsThematics ?? [];
  const names = namesInWords(ids, (id) => site.thematics.get(id), language);
  const days = daysInWords(definition.fromNbDays ?? 0, 'last', language);
  const scope = ids.length === 1 ? 'one' : definition.combinaison === 'Intersection' ? 'each' : 'total';
  return placeWords[language](definition.action ?? 'Open', names, days)[scope];
}
