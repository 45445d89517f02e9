import { actedOnThematics } from '../../activity/activity-selection.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Id, Maybe, Type } from '../../platform/http/schema.ts';
import { actMembers, combination, type FrenchPlace, frenchActs, groupsOf } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { distinctIds, firstSaid, frenchNames, heldOf, maxNamed, mustHave } from './named-records.ts';
import { DaysAgo, frenchLastDays, lastDays } from './time-window.ts';
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
  french: 'Filtre thématique',
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

  describe: (definition, site) =>
    `<ul><li>${frenchActs(definition, frenchPlace(definition, site))}</li></ul>`,
});

/** Properties that need a thematic; without one they would be ignored silently. */
const whatSays = ['nbTime', 'nbTimeAndDayOperator', 'didAnAction', 'action', 'filterMpp'] as const;

function frenchPlace(
  { action, combinaison, idsThematics, fromNbDays }: OnThematics,
  site: FilterSite,
): FrenchPlace {
  const ids = idsThematics ?? [];
  const days = frenchLastDays(fromNbDays ?? 0);
  const names = `${frenchNames(ids, (id) => site.thematics.get(id))}, ${days}`;
  const isClick = action === 'Click';
  const what = isClick ? 'sur des liens' : 'des campagnes';
  const none = isClick ? 'cliqué sur aucun lien' : 'ouvert aucune campagne';
  if (ids.length > 1 && combinaison === 'Intersection') {
    const all = isClick ? 'cliqué sur des liens' : 'ouvert des campagnes';
    return {
      often: `${what} de chacune des thématiques ${names}`,
      never: `pas ${all} de toutes les thématiques ${names}`,
    };
  }
  const of = ids.length === 1 ? `de la thématique ${names}` : `des thématiques ${names}`;
  return { often: `${ids.length === 1 ? '' : 'en tout '}${what} ${of}`, never: `${none} ${of}` };
}
