import type { Device } from '../activity/counter-store.ts';
import type { Counters } from '../activity/counters.ts';
import { byName, figures, moreFigures } from '../activity/figures.ts';
import { campaignModes } from '../campaigns/campaign.ts';
import { campaignTypes } from '../contents/campaign-type.ts';
import {
  Bool,
  Closed,
  Count,
  Instant,
  Int32,
  inOrder,
  Nullable,
  OneOf,
  type Static,
  Type,
} from '../platform/http/schema.ts';

const modes = ['1', '2', '3', 'Mobile', 'Desktop', 'DesktopAndMobile'] as const;

/** The query parameter that chooses the devices whose opens and clicks count. */
export const Mode = Type.Optional(
  OneOf(
    modes,
    'The devices whose opens and clicks count: 1 or Mobile (telephones and tablets), 2 or Desktop (all others), 3 or ' +
      'DesktopAndMobile. Default: 3',
  ),
);

/** The device of a mode; undefined for all devices. */
export function deviceOf(mode: (typeof modes)[number] | undefined): Device | undefined {
  if (mode === '1' || mode === 'Mobile') return 'mobile';
  return mode === '2' || mode === 'Desktop' ? 'desktop' : undefined;
}

/** The query parameter with the days that a list goes back. */
export const NbDays = Type.Integer({
  minimum: 1,
  maximum: 60,
  examples: [30],
  description: 'Number of days of 24 hours until now, from 1 to 60; a sending counts by its start',
});

const Name = (description: string) => Type.String({ description });
const reactivity = (clickers: string) =>
  Type.Number({ description: `${clickers} / nbOpeners × 100; 0 without openers` });

/** The counters as these records name them. */
const counterNames = {
  nbAddressSent: 'nbAddressSent',
  nbClickers: 'nbClickers',
  nbClickersEdito: 'nbEditoClickers',
  nbClickersMirror: 'nbMirrorClickers',
  nbClickersPub: 'nbAdClickers',
  nbClickersUnsub: 'nbUnsubClickers',
  nbClicks: 'nbClicks',
  nbClicksEdito: 'nbEditoClicks',
  nbClicksMirror: 'nbMirrorClicks',
  nbClicksPub: 'nbAdClicks',
  nbClicksUnsub: 'nbUnsubClicks',
  nbHardBounces: 'nbHardBounces',
  nbNetworkBounces: 'nbDnsErrorsBounces',
  nbOpeners: 'nbOpeners',
  nbOpenings: 'nbOpenings',
  nbResponseBounces: 'nbAutoRespondersBounces',
  nbSoftBounces: 'nbSoftBounces',
  nbSpamBounces: 'nbSpamBounces',
  nbSpamComplaints: 'nbSpamComplaints',
  nbUnsubs: 'nbUnsubs',
} as const;
/** The clickers whose share of the openers each rate is. */
const rates = {
  reac: 'nbClickers',
  reacEdito: 'nbClickersEdito',
  reacMirror: 'nbClickersMirror',
  reacPub: 'nbClickersPub',
  reacUnsub: 'nbClickersUnsub',
} as const;
/** Counters and a rate that only lists have. */
const viralNames = { nbClicksViral: 'nbViralClicks', nbClickersViral: 'nbViralClickers' } as const;
const viralRate = { reacViral: 'nbClickersViral' } as const;

const ownFigures = byName({
  ...mapped(counterNames, (of) => figures[of]),
  nbGodsons: Count('Addresses to which the message was forwarded and whose message a relay accepted'),
  ...mapped(rates, reactivity),
});

/** A table with the value of each word. */
function mapped<Name extends string, Word, Value>(
  table: Readonly<Record<Name, Word>>,
  give: (word: Word) => Value,
): Record<Name, Value> {
  const pairs = Object.entries<Word>(table).map(([name, word]) => [name, give(word)]);
  // fromEntries loses the names, which are those of the table.
  return Object.fromEntries(pairs) as Record<Name, Value>;
}

const ownWords = {
  campaignName: Name('Name of the campaign when it was sent'),
  endDate: Nullable(Instant('End of the sending; null before')),
  idSent: Int32('The sending: one segment in one job'),
  mailObject: Name('Subject of its messages, tags unfilled'),
  sendingName: Name('Name of the segment when it was sent'),
  startDate: Nullable(
    Instant('Start of the sending; null for the remainder of an A/B test that waits for the winner'),
  ),
};

/** The statistics of one sending. */
export const SendingStatistics = Closed('SendingStatistics', { ...ownWords, ...ownFigures });
export type SendingStatistics = Static<typeof SendingStatistics>;

/** The statistics of one of several sendings, with its description. */
export const MultiSendingStatistics = Closed('MultiSendingStatistics', {
  ...ownWords,
  ...ownFigures,
  idJob: Int32('The job of the sending'),
  idCampaign: Int32('The campaign of the job'),
  campType: OneOf(campaignTypes, 'Current type of the campaign'),
  campMode: OneOf(campaignModes, 'Current mode of the campaign'),
  nbPubsInsert: Count('Number of places of its messages that hold an advertisement'),
  genSpeed: Count('Maximum messages per hour that the job was generated with; 0 means no limit'),
  hasTxtMsg: Bool('Whether its messages have a text part'),
  idSending: Int32('The segment across jobs'),
  sendingPosition: Int32('Position of the segment'),
  isRandom: Bool('Whether the share of the target was drawn at random'),
  pctAddressChoosen: Int32('Share of the target that was used, in percent'),
  idConfig: Nullable(
    Int32(
      'The sending configuration that was used; for jobs generated before it was kept, that of the campaign now',
    ),
  ),
  configName: Name('Name of that configuration'),
  expMail: Name('Address of the sender'),
  expName: Name('Name beside the address of the sender'),
  responseMail: Name('Reply address; empty if replies go to the sender'),
  responseName: Name('Name beside the reply address'),
  idFilter: Int32('The target of the segment'),
  filterName: Name('Name of the target when it was sent'),
  nbAddressToSend: Count('Recipients of the sending when the audience was frozen'),
  ...mapped(viralNames, (of) => moreFigures[of]),
  ...mapped(viralRate, reactivity),
});
export type MultiSendingStatistics = Static<typeof MultiSendingStatistics>;

/** The description of a sending as stored: the record without figures. */
export type SendingRow = Omit<
  MultiSendingStatistics,
  keyof typeof ownFigures | keyof typeof viralNames | keyof typeof viralRate
>;

/** The counters under the names of these records, with their rates. */
function figuresOf(counters: Counters) {
  const shown = mapped({ ...counterNames, ...viralNames }, (of) => counters[of]);
  const rateOf = (clickers: keyof typeof shown) =>
    shown.nbOpeners > 0 ? (shown[clickers] / shown.nbOpeners) * 100 : 0;
  return { ...shown, ...mapped({ ...rates, ...viralRate }, rateOf) };
}

/**
 * A sending's record in a list.
 * @param counters of this sending alone, for the requested devices
 */
export function showMultiSending(
  row: SendingRow,
  counters: Counters,
  nbGodsons: number,
): MultiSendingStatistics {
  return { ...row, ...figuresOf(counters), nbGodsons };
}

/** The properties of the record of one sending. */
export function showSending(record: MultiSendingStatistics): SendingStatistics {
  return inOrder(SendingStatistics, record);
}
