import type { Device } from '../activity/counter-store.ts';
import type { Counters } from '../activity/counters.ts';
import { figures } from '../activity/figures.ts';
import { campaignModes } from '../campaigns/campaign.ts';
import { campaignTypes } from '../contents/campaign-type.ts';
import {
  Bool,
  Closed,
  Count,
  Int32,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
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

const ownFigures = {
  nbAddressSent: figures.nbAddressSent,
  nbClickers: figures.nbClickers,
  nbClickersEdito: figures.nbEditoClickers,
  nbClickersMirror: figures.nbMirrorClickers,
  nbClickersPub: figures.nbAdClickers,
  nbClickersUnsub: figures.nbUnsubClickers,
  nbClicks: figures.nbClicks,
  nbClicksEdito: figures.nbEditoClicks,
  nbClicksMirror: figures.nbMirrorClicks,
  nbClicksPub: figures.nbAdClicks,
  nbClicksUnsub: figures.nbUnsubClicks,
  nbGodsons: Count('Addresses to which the message was forwarded and whose message a relay accepted'),
  nbHardBounces: figures.nbHardBounces,
  nbNetworkBounces: figures.nbDnsErrorsBounces,
  nbOpeners: figures.nbOpeners,
  nbOpenings: figures.nbOpenings,
  nbResponseBounces: figures.nbAutoRespondersBounces,
  nbSoftBounces: figures.nbSoftBounces,
  nbSpamBounces: figures.nbSpamBounces,
  nbSpamComplaints: figures.nbSpamComplaints,
  nbUnsubs: figures.nbUnsubs,
  reac: reactivity('nbClickers'),
  reacEdito: reactivity('nbClickersEdito'),
  reacMirror: reactivity('nbClickersMirror'),
  reacPub: reactivity('nbClickersPub'),
  reacUnsub: reactivity('nbClickersUnsub'),
};

const ownWords = {
  campaignName: Name('Name of the campaign when it was sent'),
  endDate: Nullable(Timestamp('End of the sending; null before')),
  idSent: Int32('The sending: one segment in one job'),
  mailObject: Name('Subject of its messages, tags unfilled'),
  sendingName: Name('Name of the segment when it was sent'),
  startDate: Nullable(
    Timestamp('Start of the sending; null for the remainder of an A/B test that waits for the winner'),
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
  nbClicksViral: Count('Clicks through forwarded messages; they are in no other kind of clicks'),
  nbClickersViral: Count('Recipients with at least one click through a message that they forwarded'),
  reacViral: reactivity('nbClickersViral'),
});
export type MultiSendingStatistics = Static<typeof MultiSendingStatistics>;

/** The description of a sending as stored: the record without figures, with times as instants. */
export type SendingRow = {
  readonly [Name in Exclude<
    keyof MultiSendingStatistics,
    keyof typeof ownFigures | 'nbClicksViral' | 'nbClickersViral' | 'reacViral' | 'startDate' | 'endDate'
  >]: MultiSendingStatistics[Name];
} & { readonly startedAt: Date | null; readonly endedAt: Date | null };

/** The counters under the names of these records, with their rates. */
function figuresOf(counters: Counters, nbGodsons: number) {
  const reac = (clickers: number) => (counters.nbOpeners > 0 ? (clickers / counters.nbOpeners) * 100 : 0);
  return {
    nbAddressSent: counters.nbAddressSent,
    nbClickers: counters.nbClickers,
    nbClickersEdito: counters.nbEditoClickers,
    nbClickersMirror: counters.nbMirrorClickers,
    nbClickersPub: counters.nbAdClickers,
    nbClickersUnsub: counters.nbUnsubClickers,
    nbClicks: counters.nbClicks,
    nbClicksEdito: counters.nbEditoClicks,
    nbClicksMirror: counters.nbMirrorClicks,
    nbClicksPub: counters.nbAdClicks,
    nbClicksUnsub: counters.nbUnsubClicks,
    nbGodsons,
    nbHardBounces: counters.nbHardBounces,
    nbNetworkBounces: counters.nbDnsErrorsBounces,
    nbOpeners: counters.nbOpeners,
    nbOpenings: counters.nbOpenings,
    nbResponseBounces: counters.nbAutoRespondersBounces,
    nbSoftBounces: counters.nbSoftBounces,
    nbSpamBounces: counters.nbSpamBounces,
    nbSpamComplaints: counters.nbSpamComplaints,
    nbUnsubs: counters.nbUnsubs,
    reac: reac(counters.nbClickers),
    reacEdito: reac(counters.nbEditoClickers),
    reacMirror: reac(counters.nbMirrorClickers),
    reacPub: reac(counters.nbAdClickers),
    reacUnsub: reac(counters.nbUnsubClickers),
    reacViral: reac(counters.nbViralClickers),
    nbClicksViral: counters.nbViralClicks,
    nbClickersViral: counters.nbViralClickers,
  };
}

/**
 * A sending's record in a list.
 * @param counters of this sending alone, for the requested devices
 */
export function showMultiSending(
  { startedAt, endedAt, ...row }: SendingRow,
  counters: Counters,
  nbGodsons: number,
): MultiSendingStatistics {
  return {
    ...row,
    startDate: startedAt?.toISOString() ?? null,
    endDate: endedAt?.toISOString() ?? null,
    ...figuresOf(counters, nbGodsons),
  };
}

// Object.keys loses the names that the type knows.
const singleNames = Object.keys(SendingStatistics.properties) as (keyof SendingStatistics)[];

/** The properties of the record of one sending. */
export function showSending(record: MultiSendingStatistics): SendingStatistics {
  // Every property is copied here, which fromEntries cannot show.
  return Object.fromEntries(singleNames.map((name) => [name, record[name]])) as SendingStatistics;
}
