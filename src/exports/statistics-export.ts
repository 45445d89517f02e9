import { Bool, Closed, Code, Count, IdOf, type Static, Type } from '../platform/http/schema.ts';

/** The lists that a file of statistics can have, by their numbers in the API document. */
export const statTypes = {
  recipients: 1,
  openers: 2,
  clickers: 3,
  links: 4,
  unsubscribed: 5,
  hardBounces: 6,
  softBounces: 7,
  complaints: 8,
  providers: 9,
  advertisements: 10,
} as const;
export type StatType = (typeof statTypes)[keyof typeof statTypes];

const meanings: Readonly<Record<StatType, string>> = {
  1: 'recipients, each with the outcome of their message',
  2: 'recipients who opened',
  3: 'recipients who clicked',
  4: 'clicks by link',
  5: 'recipients who unsubscribed',
  6: 'recipients with a hard bounce',
  7: 'recipients with a soft bounce',
  8: 'recipients who complained',
  9: 'figures by provider',
  10: 'clicks by advertisement',
};

/** The lists of clickers, which a link or an advertisement can limit. */
const ofClicks: readonly number[] = [statTypes.clickers, statTypes.links, statTypes.advertisements];

export const StatisticsQuery = {
  idJob: IdOf('job', Count('The job; 0: any')),
  idCampaign: IdOf('campaign', Count('The campaign; 0: any')),
  idSent: IdOf('sent', Count('The sending in one job; 0: any')),
  idLink: IdOf(
    'trackedLink',
    Type.Integer({
      title: 'Int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [0],
      description: 'The tracked link; 0: any. Only with the types 3, 4 and 10',
    }),
  ),
  idPub: IdOf('advertisement', Count('The advertisement; 0: any. Only with the types 3, 4 and 10')),
  statType: Code(meanings, 'What the file lists'),
  mpp: Type.Optional(Bool('Whether opens that mail privacy protection makes count. Default: false')),
};

/** The properties of a request for a file of statistics. */
export const StatisticsRequest = Closed('StatisticsRequest', StatisticsQuery);
export type StatisticsRequest = Static<typeof StatisticsRequest>;

/** @returns the rule that a request breaks, naming the parameter */
export function statisticsFault({ statType, idLink, idPub }: StatisticsRequest): string | undefined {
  if (ofClicks.includes(statType)) return undefined;
  const name = idLink > 0 ? 'idLink' : idPub > 0 ? 'idPub' : undefined;
  return name && `${name}: only clicks have one (statType ${ofClicks.join(', ')}); give 0`;
}
