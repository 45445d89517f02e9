import type { Content, ContentFrame } from '../contents/assemble-content.ts';
import { htmlLinks, textLinks } from '../contents/html-links.ts';
import { sectors } from '../contents/sector.ts';
import {
  Bool,
  Closed,
  Id,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import type { Campaign } from './campaign.ts';
import { messageContent, ownContent } from './campaign-content.ts';

/** Which part of a message an address stands in. */
export const linkOrigins = ['campaign', 'configuration', 'advertisement'] as const;
export type LinkOrigin = (typeof linkOrigins)[number];

/** A word of a list that the document does not show in full. */
const Word = () =>
  Type.String({
    title: 'String',
    pattern: '^[A-Za-z]{1,50}$',
    examples: ['NotRemunerated'],
    description: 'a word of 1 to 50 letters',
  });

/** What a user says of a link. */
export const LinkParameters = Closed('TrackedUrlParameters', {
  description: Type.String(),
  isUnsubscriptionUrl: Bool(),
  isMirrorUrl: Bool(),
  idDirectory: Nullable(Int32()),
  type: Type.String(),
  sector: OneOf(sectors),
  incentive: Type.String(),
  idThematic: Nullable(Int32()),
});
export type LinkParameters = Static<typeof LinkParameters>;

/** What is left out stays; a null directory or thematic is none, other nulls change nothing. */
const LinkParametersChange = Closed('TrackedUrlParametersInput', {
  description: Maybe(Line(500)),
  isUnsubscriptionUrl: Maybe(Bool()),
  isMirrorUrl: Maybe(Bool()),
  idDirectory: Maybe(Id()),
  type: Maybe(Word()),
  sector: Maybe(OneOf(sectors)),
  incentive: Maybe(Word()),
  idThematic: Maybe(Id()),
});
export type LinkParametersChange = Static<typeof LinkParametersChange>;

export const TrackedUrl = Closed('TrackedUrl', {
  url: Type.String({ description: 'As its author means it: entities decoded, tags kept' }),
  parsedUrl: Type.String({ description: 'Without tags' }),
  origin: OneOf(linkOrigins),
  idAdvertisementInSegment: Nullable(Int32()),
  idSegment: Nullable(Int32()),
  idAdvertisement: Nullable(Int32()),
  isTracked: Bool(),
  id: Type.Integer({ title: 'Int64' }),
  parameters: LinkParameters,
});
export type TrackedUrl = Static<typeof TrackedUrl>;

const readOnly = Type.Optional(
  Type.Unknown({ description: 'Read only: accepted and ignored', readOnly: true }),
);

/** A link to be tracked, named by its address. */
export const TrackedUrlInput = Closed('TrackedUrlInput', {
  url: Type.String({ ...Text(4_000), minLength: 1 }),
  parameters: Maybe(LinkParametersChange),
  parsedUrl: readOnly,
  origin: readOnly,
  idAdvertisementInSegment: readOnly,
  idSegment: readOnly,
  idAdvertisement: readOnly,
  isTracked: readOnly,
  id: readOnly,
});

export const plainParameters: LinkParameters = {
  description: '',
  isUnsubscriptionUrl: false,
  isMirrorUrl: false,
  idDirectory: null,
  type: 'NotRemunerated',
  sector: 'NoSector',
  incentive: 'NoPrizeOrReward',
  idThematic: null,
};

/** The parameters after a change. */
export function changeParameters(before: LinkParameters, change: LinkParametersChange): LinkParameters {
  const { idDirectory, idThematic } = change;
  return {
    description: change.description ?? before.description,
    isUnsubscriptionUrl: change.isUnsubscriptionUrl ?? before.isUnsubscriptionUrl,
    isMirrorUrl: change.isMirrorUrl ?? before.isMirrorUrl,
    idDirectory: idDirectory === undefined ? before.idDirectory : idDirectory,
    type: change.type ?? before.type,
    sector: change.sector ?? before.sector,
    incentive: change.incentive ?? before.incentive,
    idThematic: idThematic === undefined ? before.idThematic : idThematic,
  };
}

/** An address that stands in a campaign's messages. */
export interface LinkInContent {
  readonly url: string;
  readonly origin: LinkOrigin;
  /** False for mail and telephone addresses, which no redirect can count. */
  readonly isTrackable: boolean;
}

/**
 * The addresses of a campaign's messages, each once, in the order in which they stand. One that the campaign and its
 * configuration share is the campaign's.
 */
export function linksInContent(campaign: Campaign, frame: ContentFrame | undefined): LinkInContent[] {
  const own = new Set(linksOf(ownContent(campaign)).map((link) => link.url));
  const links = new Map<string, LinkInContent>();
  for (const { url, isTrackable } of linksOf(messageContent(campaign, frame))) {
    const origin = own.has(url) ? 'campaign' : 'configuration';
    if (!links.has(url)) links.set(url, { url, isTrackable, origin });
  }
  return [...links.values()];
}

const linksOf = ({ html, text }: Content) => [...htmlLinks(html), ...textLinks(text)];
