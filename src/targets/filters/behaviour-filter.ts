import { type Acts, actedInPeriod, actedInSents } from '../../activity/activity-selection.ts';
import type { Language } from '../../fields/period.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { IdOf, Maybe, OneOf, Text } from '../../platform/http/schema.ts';
import { type Action, actMembers, actsInWords, combination, groupsOf, type PlaceInWords } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { firstSaid, heldOf, idsIn, mustBeEmpty, mustHave, namesInWords, parseIds } from './named-records.ts';
import { idSentNames, namesOfSents, parseSents } from './named-sents.ts';
import { DaysAgo, daysInWords, lastDays } from './time-window.ts';
import { parseTimes, timesMembers, timesOf } from './times.ts';

const behaviourTypes = ['NbDays', 'Sent', 'Campaign'] as const;
type BehaviourType = (typeof behaviourTypes)[number];

const members = {
  didAnAction: actMembers.didAnAction,
  action: actMembers.action,
  behaviourType: Maybe(
    OneOf(
      behaviourTypes,
      'Where it was done: NbDays in any message over the last nbDaysAgo days, Sent in those of idSentList, ' +
        'Campaign in those of idCampaign. Properties of the other two must be empty',
    ),
  ),
  nbDaysAgo: Maybe(DaysAgo()),
  ...timesMembers,
  idSentList: Maybe(
    IdOf(
      'sent',
      Text(4_000, "Ids of sendings within jobs (idSent), without test mailings, separated by ';'"),
    ),
  ),
  idSentNames,
  combinaisonMode: combination(
    'Union compares the number of times over all sendings or campaigns; Intersection over each of them',
  ),
  idCampaign: Maybe(IdOf('campaign', Text(4_000, "Ids of campaigns, separated by ';'"))),
  filterMpp: actMembers.filterMpp,
};
type Behaviour = Given<typeof members>;

/** Selects by opens and clicks: over the last days, or in certain sendings or campaigns. */
export const behaviourFilter = filterKind({
  kind: 'behaviour',
  title: 'BehaviourFilter',
  heading: { fr: 'Filtre de comportement', en: 'Behaviour' },
  members,
  enabledMember: 'isEnabled',
  flag: 'hasBehaviourFilter',
  example: {
    didAnAction: true,
    action: 'Open',
    behaviourType: 'NbDays',
    nbDaysAgo: 30,
    nbTime: '3',
    nbTimeAndDayOperator: 'AtLeast',
    filterMpp: true,
  },

  needs: ({ idSentList, idCampaign }) => ({ idsSent: idsIn(idSentList), idsCampaign: idsIn(idCampaign) }),

  parse(given, site) {
    const { behaviourType, action } = given;
    if (!behaviourType) {
      const said = firstSaid(given, whatSays);
      if (said === undefined) return undefined;
      throw invalid(`behaviourType: must be one of ${behaviourTypes.join(', ')}, since ${said} is given`);
    }
    if (!action) throw invalid('action: must be one of Click, Open');
    return {
      didAnAction: given.didAnAction ?? true,
      action,
      behaviourType,
      ...parseTimes(given),
      ...parsePlace(given, behaviourType, site),
      filterMpp: given.filterMpp ?? false,
    };
  },

  compile(definition, site) {
    const condition = compileActs(definition, site);
    return definition.didAnAction === false ? sql`(not (${condition}))` : sql`(${condition})`;
  },

  computed: ({ idSentList }, site) => ({ idSentNames: namesOfSents(idSentList, site) }),

  describe: (definition, site, language) =>
    `<ul><li>${actsInWords(definition, placeOf(definition, site, language), language)}</li></ul>`,
});

/** Properties that need a behaviourType; without one they would be ignored silently. */
const whatSays = [
  'didAnAction',
  'action',
  'nbDaysAgo',
  'nbTime',
  'nbTimeAndDayOperator',
  'idSentList',
  'idCampaign',
  'filterMpp',
] as const;

type Place = Pick<Behaviour, 'nbDaysAgo' | 'idSentList' | 'combinaisonMode' | 'idCampaign'>;

function parsePlace(given: Behaviour, type: BehaviourType, site: FilterSite): Place {
  const nowhere: Place = { nbDaysAgo: null, idSentList: null, combinaisonMode: null, idCampaign: null };
  const why = `since behaviourType is ${type}`;
  if (type === 'NbDays') {
    mustBeEmpty(given, ['idSentList', 'idCampaign'], why);
    if (given.combinaisonMode === 'Intersection') throw invalid(`combinaisonMode: must be omitted, ${why}`);
    const nbDaysAgo = given.nbDaysAgo ?? null;
    if (nbDaysAgo === null) throw invalid(`nbDaysAgo: is required, ${why}`);
    return { ...nowhere, nbDaysAgo };
  }
  const member = type === 'Sent' ? 'idSentList' : 'idCampaign';
  mustBeEmpty(given, ['nbDaysAgo', type === 'Sent' ? 'idCampaign' : 'idSentList'], why);
  const list = given[member]?.trim();
  if (!list) throw invalid(`${member}: must contain at least one id, ${why}`);
  const ids = type === 'Sent' ? parseSents(list, site) : parseIds(list, member);
  if (type === 'Campaign') mustHave(site.campaigns, ids, 'Campaign', member);
  return { ...nowhere, [member]: ids.join(';'), combinaisonMode: given.combinaisonMode ?? 'Union' };
}

function compileActs(definition: Behaviour, site: FilterSite): Sql {
  const { behaviourType, nbDaysAgo, idSentList, idCampaign, combinaisonMode } = definition;
  const acts: Acts = { action: definition.action ?? 'Open', withoutMpp: definition.filterMpp ?? false };
  const times = timesOf(definition);
  if (behaviourType === 'NbDays') {
    return actedInPeriod(site.t, { ...acts, period: lastDays(site.now, nbDaysAgo ?? 0) }, times);
  }
  const sents =
    behaviourType === 'Sent'
      ? idsIn(idSentList).map((id) => [heldOf(site.sents, id, 'sending', 'behaviour').idSent])
      : idsIn(idCampaign).map((id) => heldOf(site.campaigns, id, 'campaign', 'behaviour').idsSent);
  return actedInSents(site.t, { ...acts, groups: groupsOf(sents, combinaisonMode) }, times);
}

type Scope = 'one' | 'each' | 'total';
interface PlaceWords {
  days(action: Action, days: string): PlaceInWords;
  named(action: Action, isSent: boolean, names: string): Readonly<Record<Scope, PlaceInWords>>;
}
const placeWords: Readonly<Record<Language, PlaceWords>> = {
  fr: {
    days: (action, days) => ({
      often: (times) => `${times} ${days}`,
      never: `n’a ${action === 'Click' ? 'cliqué sur aucun lien' : 'ouvert aucun message'} ${days}`,
    }),
    named(action, isSent, names) {
      const [verb, into] = action === 'Click' ? ['cliqué', 'dans '] : ['ouvert', ''];
      const one = `${into}${isSent ? 'l’envoi' : 'la campagne'} ${names}`;
      const [things, each, none, all] = isSent
        ? ['envois', 'chacun', 'aucun', 'tous']
        : ['campagnes', 'chacune', 'aucune', 'toutes'];
      return {
        one: { often: (times) => `${times} ${one}`, never: `n’a pas ${verb} ${one}` },
        each: {
          often: (times) => `${times} ${into}${each} des ${things} ${names}`,
          never: `n’a pas ${verb} ${into}${all} les ${things} ${names}`,
        },
        total: {
          often: (times) => `${times} en tout ${into}les ${things} ${names}`,
          never: `n’a ${verb} ${into}${none} des ${things} ${names}`,
        },
      };
    },
  },
  en: {
    days: (action, days) => ({
      often: (times) => `${times} ${days}`,
      never: `${action === 'Click' ? 'clicked no link' : 'opened no message'} ${days}`,
    }),
    named(action, isSent, names) {
      const [verb, did, into] = action === 'Click' ? ['click', 'clicked', 'in '] : ['open', 'opened', ''];
      const thing = isSent ? 'sending' : 'campaign';
      const one = `${into}the ${thing} ${names}`;
      return {
        one: { often: (times) => `${one} ${times}`, never: `did not ${verb} ${one}` },
        each: {
          often: (times) => `${into}each of the ${thing}s ${names} ${times}`,
          never: `did not ${verb} ${into}all of the ${thing}s ${names}`,
        },
        total: {
          often: (times) => `${into}the ${thing}s ${names} ${times} in total`,
          never: `${did} ${into}none of the ${thing}s ${names}`,
        },
      };
    },
  },
};

function placeOf(definition: Behaviour, site: FilterSite, language: Language): PlaceInWords {
  const { behaviourType, nbDaysAgo, idSentList, idCampaign, combinaisonMode } = definition;
  const action = definition.action ?? 'Open';
  const words = placeWords[language];
  if (behaviourType === 'NbDays') return words.days(action, daysInWords(nbDaysAgo ?? 0, 'last', language));
  const isSent = behaviourType === 'Sent';
  const ids = idsIn(isSent ? idSentList : idCampaign);
  const names = namesInWords(ids, (id) => (isSent ? site.sents : site.campaigns).get(id)?.name, language);
  const scope = ids.length === 1 ? 'one' : combinaisonMode === 'Intersection' ? 'each' : 'total';
  return words.named(action, isSent, names)[scope];
}
