import { type Period, receivedTimes, type Times } from '../../activity/activity-selection.ts';
import { type CampaignType, campaignTypes } from '../../contents/campaign-type.ts';
import { frenchPeriod } from '../../fields/period.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, Code, Count, Maybe, OneOf, Text, Timestamp } from '../../platform/http/schema.ts';
import { instantOfParisTime, parisDayOf, parisTimeOf } from '../../platform/paris-time.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { firstSaid, mustBeEmpty } from './named-records.ts';
import { daysFromTo, frenchLastDays, lastDays, maxDaysAgo, merged } from './time-window.ts';

const periodTypes = ['Today', 'Since', 'Between', 'ByWeek'] as const;
type PeriodType = (typeof periodTypes)[number];

const hourMs = 3_600_000;
const units = { 1: { name: 'hours', most: maxDaysAgo * 24 }, 2: { name: 'days', most: maxDaysAgo } } as const;
const maxMessages = 1_000_000;

/** The operators by name, with the range of numbers that each accepts and its French. */
const operators = {
  GREATER: { times: (n: number): Times => ({ min: n + 1, max: null }), french: 'plus de' },
  GREATER_EQUAL: { times: (n: number): Times => ({ min: n, max: null }), french: 'au moins' },
  EQUAL: { times: (n: number): Times => ({ min: n, max: n }), french: 'exactement' },
  LOWER_EQUAL: { times: (n: number): Times => ({ min: 0, max: n }), french: 'au plus' },
  LOWER: { times: (n: number): Times => ({ min: 0, max: n - 1 }), french: 'moins de' },
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

/** The weeks and the day of ByWeek: how many weeks before this one they began, and their French. */
const stretches: readonly {
  readonly member: Member;
  readonly weeksAgo: number | null;
  readonly french: string;
}[] = [
  { member: 'today', weeksAgo: null, french: 'aujourd’hui' },
  { member: 'thisWeek', weeksAgo: 0, french: 'cette semaine' },
  { member: 'lastWeek', weeksAgo: 1, french: 'la semaine dernière' },
  { member: 'twoWeeksAgo', weeksAgo: 2, french: 'il y a deux semaines' },
  { member: 'threeWeeksAgo', weeksAgo: 3, french: 'il y a trois semaines' },
  { member: 'fourWeeksAgo', weeksAgo: 4, french: 'il y a quatre semaines' },
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
  french: 'Filtre de pression',
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

  describe: (definition) => `<ul><li>${inFrench(definition)}</li></ul>`,
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

const frenchTypes: Readonly<Record<CampaignType, string>> = {
  Unknown: 'Inconnu',
  Newsletter: 'Newsletter',
  Dedicated: 'Dédié',
  Other: 'Autre',
  ExternalGame: 'Jeu',
  InternalGame: 'Jeu interne',
  Topic: 'Dossier',
  Rent: 'Location',
  Transac: 'Transactionnel',
};

function inFrench(definition: Pressure): string {
  const { campaignType, operatorRequest, nbRequest } = definition;
  const number = nbRequest ?? 0;
  const operator = operators[operatorRequest ?? 'EQUAL'];
  const { min, max } = operator.times(number);
  const messages = `${operator.french} ${number === 1 ? 'un message' : `${number} messages`}`.replace(
    'de un',
    'd’un',
  );
  const isAny = min === 1 && max === null;
  const received =
    max === 0 ? 'n’a reçu <b>aucun message</b>' : `a reçu <b>${isAny ? 'au moins un message' : messages}</b>`;
  // A list of our own names: nothing of a user's can be in it.
  const types = (campaignType ?? '').split(';').flatMap((name) => frenchTypes[name as CampaignType] ?? []);
  const ofTypes = types.length === 0 ? '' : ` de campagnes de type <b>${types.join(', ')}</b>`;
  return `${received}${ofTypes} ${frenchWhen(definition)}`;
}

function frenchWhen(definition: Pressure): string {
  const { type, fromTime, timeType, betweenStartDate, betweenEndDate } = definition;
  switch (type) {
    case 'Since':
      if (timeType === 2) return frenchLastDays(fromTime ?? 0);
      return fromTime === 1
        ? 'dans la <b>dernière heure</b>'
        : `dans les <b>${fromTime}</b> dernières heures`;
    case 'Between':
      return `du <b>${frenchMinute(betweenStartDate)}</b> au <b>${frenchMinute(betweenEndDate)}</b>`;
    case 'ByWeek': {
      const named = stretches.filter(({ member }) => definition[member]);
      return `<b>${named.map(({ french }) => french).join(', ')}</b>`;
    }
    default:
      return '<b>aujourd’hui</b>';
  }
}

/** An instant to the minute, Paris time: `20/11/2026 10:30`. */
function frenchMinute(instant: string | null | undefined): string {
  return frenchPeriod((instant ?? '').replace(/:\d\d(\.\d+)?Z$/, 'Z'));
}
