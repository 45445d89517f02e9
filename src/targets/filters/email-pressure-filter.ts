import { type Period, receivedTimes, type Times } from '../../activity/activity-selection.ts';
import { type CampaignType, campaignTypes } from '../../contents/campaign-type.ts';
import { type Language, periodInWords } from '../../fields/period.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, Code, Count, Maybe, OneOf, Text, Timestamp } from '../../platform/http/schema.ts';
import { instantOfParisTime, parisDayOf, parisTimeOf } from '../../platform/paris-time.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { firstSaid, mustBeEmpty } from './named-records.ts';
import { daysFromTo, daysInWords, lastDays, maxDaysAgo, merged } from './time-window.ts';

const periodTypes = ['Today', 'Since', 'Between', 'ByWeek'] as const;
type PeriodType = (typeof periodTypes)[number];

const hourMs = 3_600_000;
const units = { 1: { name: 'hours', most: maxDaysAgo * 24 }, 2: { name: 'days', most: maxDaysAgo } } as const;
const maxMessages = 1_000_000;

/** The operators by name, with the range of numbers that each accepts, in words. */
const operators = {
  GREATER: { times: (n: number): Times => ({ min: n + 1, max: null }), fr: 'plus de', en: 'more than' },
  GREATER_EQUAL: { times: (n: number): Times => ({ min: n, max: null }), fr: 'au moins', en: 'at least' },
  EQUAL: { times: (n: number): Times => ({ min: n, max: n }), fr: 'exactement', en: 'exactly' },
  LOWER_EQUAL: { times: (n: number): Times => ({ min: 0, max: n }), fr: 'au plus', en: 'at most' },
  LOWER: { times: (n: number): Times => ({ min: 0, max: n - 1 }), fr: 'moins de', en: 'fewer than' },
} as const;
type OperatorName = keyof typeof operators;
// Object.keys forgets the keys' type; `operators` is a literal of this file.
const operatorNames = Object.keys(operators) as [OperatorName, ...OperatorName[]];

const members = {
  campaignType: Maybe(
    Text(
      500,
      `Only messages of campaigns of these types, separated by ';': ${campaignTypes.join(', ')}. Empty: all`,
    ),
  ),
  operatorRequest: Maybe(OneOf(operatorNames, 'Compares the number of messages received with nbRequest')),
  nbRequest: Maybe(Count('A number of messages')),
  type: Maybe(
    OneOf(
      periodTypes,
      'When they were received. Today; Since the last fromTime hours or days; Between two dates; ByWeek in the ' +
        'weeks (and today) that are true. Properties of the others must be empty',
    ),
  ),
  today: Maybe(Bool('Today in Paris')),
  thisWeek: Maybe(Bool('From Monday on, Paris time')),
  lastWeek: Maybe(Bool()),
  twoWeeksAgo: Maybe(Bool()),
  threeWeeksAgo: Maybe(Bool()),
  fourWeeksAgo: Maybe(Bool()),
  betweenStartDate: Maybe(Timestamp('From this instant on')),
  betweenEndDate: Maybe(Timestamp(`Up to this instant, at most ${maxDaysAgo} days later`)),
  fromTime: Maybe(
    Count(`Hours (1 to ${units[1].most}), or whole days in Paris (0 to ${units[2].most}; 0 is today)`),
  ),
  timeType: Maybe(Code({ 0: 'the same as omitted', 1: 'hours', 2: 'days' }, 'The unit of fromTime')),
};
type Pressure = Given<typeof members>;
type Member = keyof Pressure & string;

/** The weeks and the day of ByWeek: how many weeks before this one they began. */
const stretches: readonly { readonly member: Member; readonly weeksAgo: number | null }[] = [
  { member: 'today', weeksAgo: null },
  { member: 'thisWeek', weeksAgo: 0 },
  { member: 'lastWeek', weeksAgo: 1 },
  { member: 'twoWeeksAgo', weeksAgo: 2 },
  { member: 'threeWeeksAgo', weeksAgo: 3 },
  { member: 'fourWeeksAgo', weeksAgo: 4 },
];

/** Which members of the period each type uses. */
const membersOfType: Readonly<Record<PeriodType, readonly Member[]>> = {
  Today: ['today'],
  Since: ['fromTime', 'timeType'],
  Between: ['betweenStartDate', 'betweenEndDate'],
  ByWeek: stretches.map(({ member }) => member),
};
const periodMembers = [...new Set(Object.values(membersOfType).flat())];

const noPeriod: Pressure = Object.fromEntries(periodMembers.map((member) => [member, null]));

/** How many messages a subscriber received over a time. */
export const emailPressureFilter = filterKind({
  kind: 'emailPressure',
  title: 'EmailPressureFilter',
  heading: { fr: 'Filtre de pression', en: 'Pressure' },
  members,
  enabledMember: 'isFilterEnabled',
  flag: 'hasEmailPressureFilter',
  example: { operatorRequest: 'LOWER', nbRequest: 4, type: 'Since', fromTime: 30, timeType: 2 },

  parse(given) {
    const { type, operatorRequest } = given;
    if (!type) {
      const said = firstSaid(given, [...periodMembers, 'campaignType', 'operatorRequest', 'nbRequest']);
      if (said === undefined) return undefined;
      throw invalid(`type: must be one of ${periodTypes.join(', ')}, since ${said} is given`);
    }
    if (!operatorRequest) throw invalid(`operatorRequest: must be one of ${operatorNames.join(', ')}`);
    return {
      campaignType: parseCampaignTypes(given.campaignType),
      operatorRequest,
      nbRequest: parseNumber(given.nbRequest, operatorRequest),
      type,
      ...noPeriod,
      ...parsePeriod(given, type),
    };
  },

  compile(definition, site) {
    const { campaignType, operatorRequest, nbRequest } = definition;
    const types = campaignType ? campaignType.split(';') : null;
    const times = operators[operatorRequest ?? 'EQUAL'].times(nbRequest ?? 0);
    return sql`(${receivedTimes(site.t, { periods: periodsOf(definition, site), campaignTypes: types }, times)})`;
  },

  describe: (definition, _site, language) => `<ul><li>${inWords(definition, language)}</li></ul>`,
});

function parseCampaignTypes(given: string | null | undefined): string | null {
  if (!given?.trim()) return null;
  const names = given.split(';').map((name) => name.trim());
  const unknown = names.find((name) => !campaignTypes.includes(name as CampaignType));
  if (unknown === undefined) return [...new Set(names)].join(';');
  throw invalid(
    `campaignType: must be types of campaigns separated by ';' (${campaignTypes.join(', ')}), and ` +
      `'${unknown.slice(0, 50)}' is not one`,
  );
}

function parseNumber(given: number | null | undefined, operator: OperatorName): number {
  if (given === null || given === undefined || given > maxMessages) {
    throw invalid(`nbRequest: must be a number of messages from 0 to ${maxMessages}`);
  }
  if (operator === 'LOWER' && given === 0)
    throw invalid('nbRequest: no one received fewer than 0 messages; use 1 or more');
  return given;
}

function parsePeriod(given: Pressure, type: PeriodType): Pressure {
  const used = membersOfType[type];
  const others = periodMembers.filter((member) => !used.includes(member));
  mustBeEmpty(given, others, `since type is ${type}`);
  switch (type) {
    case 'Today':
      return { today: true };
    case 'Since':
      return parseSince(given);
    case 'Between':
      return parseBetween(given);
    case 'ByWeek':
      if (firstSaid(given, used) === undefined) {
        throw invalid(`thisWeek: one of ${used.join(', ')} must be true, since type is ByWeek`);
      }
      return Object.fromEntries(used.map((member) => [member, given[member] ?? false]));
  }
}

function parseSince({ fromTime, timeType }: Pressure): Pressure {
  if (timeType !== 1 && timeType !== 2) {
    throw invalid('timeType: must be 1 (hours) or 2 (days), since type is Since');
  }
  const { name, most } = units[timeType];
  const least = timeType === 1 ? 1 : 0;
  if (typeof fromTime !== 'number' || fromTime < least || fromTime > most) {
    throw invalid(`fromTime: must be a number of ${name} from ${least} to ${most}`);
  }
  return { fromTime, timeType };
}

function parseBetween({ betweenStartDate, betweenEndDate }: Pressure): Pressure {
  if (!betweenStartDate) throw invalid('betweenStartDate: is required, since type is Between');
  if (!betweenEndDate) throw invalid('betweenEndDate: is required, since type is Between');
  const [start, end] = [new Date(betweenStartDate), new Date(betweenEndDate)];
  if (start >= end) throw invalid('betweenEndDate: must be after betweenStartDate');
  // In wall time, so that a change of the clocks makes no difference.
  if (end > instantOfParisTime(parisTimeOf(start).add({ days: maxDaysAgo }))) {
    throw invalid(`betweenEndDate: must be at most ${maxDaysAgo} days after betweenStartDate`);
  }
  return { betweenStartDate: start.toISOString(), betweenEndDate: end.toISOString() };
}

function periodsOf(definition: Pressure, { now }: FilterSite): Period[] {
  const { type, fromTime, timeType, betweenStartDate, betweenEndDate } = definition;
  const today = lastDays(now, 0);
  switch (type) {
    case 'Since':
      if (timeType === 2) return [lastDays(now, fromTime ?? 0)];
      return [{ from: new Date(now.getTime() - (fromTime ?? 0) * hourMs), to: today.to }];
    case 'Between':
      return [{ from: new Date(betweenStartDate ?? ''), to: new Date(betweenEndDate ?? '') }];
    case 'ByWeek': {
      const monday = parisDayOf(now).subtract({ days: parisDayOf(now).dayOfWeek - 1 });
      const named = stretches.filter(({ member }) => definition[member]);
      return merged(
        named.map(({ weeksAgo }) => {
          if (weeksAgo === null) return today;
          return daysFromTo(monday.subtract({ weeks: weeksAgo }), monday.subtract({ weeks: weeksAgo - 1 }));
        }),
      );
    }
    default:
      return [today];
  }
}

/** `stretches` has the names in the order of the table above. */
const pressureWords = {
  fr: {
    messages(operator: OperatorName, number: number) {
      const messages = number === 1 ? 'un message' : `${number} messages`;
      return `${operators[operator].fr} ${messages}`.replace('de un', 'd’un');
    },
    none: 'n’a reçu <b>aucun message</b>',
    received: 'a reçu',
    ofTypes: (names: string) => `de campagnes de type <b>${names}</b>`,
    types: {
      Unknown: 'Inconnu',
      Newsletter: 'Newsletter',
      Dedicated: 'Dédié',
      Other: 'Autre',
      ExternalGame: 'Jeu',
      InternalGame: 'Jeu interne',
      Topic: 'Dossier',
      Rent: 'Location',
      Transac: 'Transactionnel',
    },
    hours: (number: number) =>
      number === 1 ? 'dans la <b>dernière heure</b>' : `dans les <b>${number}</b> dernières heures`,
    between: (start: string, end: string) => `du <b>${start}</b> au <b>${end}</b>`,
    stretches: [
      'aujourd’hui',
      'cette semaine',
      'la semaine dernière',
      'il y a deux semaines',
      'il y a trois semaines',
      'il y a quatre semaines',
    ],
  },
  en: {
    messages: (operator: OperatorName, number: number) =>
      `${operators[operator].en} ${number === 1 ? 'one message' : `${number} messages`}`,
    none: 'received <b>no message</b>',
    received: 'received',
    ofTypes: (names: string) => `of campaigns of type <b>${names}</b>`,
    types: {
      Unknown: 'Unknown',
      Newsletter: 'Newsletter',
      Dedicated: 'Dedicated',
      Other: 'Other',
      ExternalGame: 'Game',
      InternalGame: 'Internal game',
      Topic: 'Topic',
      Rent: 'Rental',
      Transac: 'Transactional',
    },
    hours: (number: number) =>
      number === 1 ? 'in the <b>last hour</b>' : `in the last <b>${number}</b> hours`,
    between: (start: string, end: string) => `between <b>${start}</b> and <b>${end}</b>`,
    stretches: ['today', 'this week', 'last week', 'two weeks ago', 'three weeks ago', 'four weeks ago'],
  },
};

function inWords(definition: Pressure, language: Language): string {
  const { campaignType, operatorRequest, nbRequest } = definition;
  const words = pressureWords[language];
  const [operator, number] = [operatorRequest ?? 'EQUAL', nbRequest ?? 0];
  const { min, max } = operators[operator].times(number);
  const isAny = min === 1 && max === null;
  const messages = isAny ? words.messages('GREATER_EQUAL', 1) : words.messages(operator, number);
  const received = max === 0 ? words.none : `${words.received} <b>${messages}</b>`;
  // A list of our own names: nothing of a user's can be in it.
  const types = (campaignType ?? '').split(';').flatMap((name) => words.types[name as CampaignType] ?? []);
  const ofTypes = types.length === 0 ? [] : [words.ofTypes(types.join(', '))];
  return [received, ...ofTypes, whenInWords(definition, language)].join(' ');
}

function whenInWords(definition: Pressure, language: Language): string {
  const { type, fromTime, timeType, betweenStartDate, betweenEndDate } = definition;
  const words = pressureWords[language];
  switch (type) {
    case 'Since':
      return timeType === 2 ? daysInWords(fromTime ?? 0, 'last', language) : words.hours(fromTime ?? 0);
    case 'Between':
      return words.between(
        minuteInWords(betweenStartDate, language),
        minuteInWords(betweenEndDate, language),
      );
    case 'ByWeek':
      return `<b>${words.stretches.filter((_, i) => definition[stretches[i]!.member]).join(', ')}</b>`;
    default:
      return daysInWords(0, 'last', language);
  }
}

/** An instant to the minute, Paris time: `20 Nov 2026 10:30`. */
function minuteInWords(instant: string | null | undefined, language: Language): string {
  return periodInWords((instant ?? '').replace(/:\d\d(\.\d+)?Z$/, 'Z'), language);
}
