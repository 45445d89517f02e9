import type { ContentFrame } from '../contents/assemble-content.ts';
import { type ContentLink, htmlLinks, textLinks } from '../contents/html-links.ts';
import { sectors } from '../contents/sector.ts';
import { follow } from '../contents/spans.ts';
import {
  Bool,
  Closed,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  ReadOnly,
  Reference,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { type Campaign, merged } from './campaign.ts';
import type { Placement } from './placement.ts';
import type { Segment } from './segment.ts';
import { ownContent, segmentMessages } from './segment-messages.ts';

/** The part of a message that holds an address. */
const linkOrigins = ['campaign', 'configuration', 'advertisement'] as const;
type LinkOrigin = (typeof linkOrigins)[number];

/** A word of a list that the document does not show in full. */
const Word = () =>
  Type.String({
    title: 'String',
    pattern: '^[A-Za-z]{1,50}$',
    examples: ['NotRemunerated'],
    description: 'a word of 1 to 50 letters',
  });

/** The parameters of a link that a user sets. */
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

/** Omitted properties keep their values; 0 or null removes directory and thematic; other nulls change nothing. */
const LinkParametersChange = Closed('TrackedUrlParametersInput', {
  description: Maybe(Line(500)),
  isUnsubscriptionUrl: Maybe(Bool()),
  isMirrorUrl: Maybe(Bool()),
  idDirectory: Reference('directory', 'A directory of type URL or Link'),
  type: Maybe(Word()),
  sector: Maybe(OneOf(sectors)),
  incentive: Maybe(Word()),
  idThematic: Reference('thematic', 'What it is about: clicks on it count for this thematic'),
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

const readOnly = ReadOnly();

/** A link to be tracked, named by its address. */
export const TrackedUrlInput = Closed('TrackedUrlInput', {
  url: Type.String({ ...Text(4_000), minLength: 1 }),
  parameters: Maybe(LinkParametersChange),
  parsedUrl: readOnly,
  origin: readOnly,
  idAdvertisementInSegment: Reference(
    'placement',
    'The place of the advertisement that holds the address. Default: the first place of the address',
  ),
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

export const changeParameters = (before: LinkParameters, change: LinkParametersChange): LinkParameters =>
  merged(plainParameters, before, change);

/** An address in a campaign's messages. */
export interface LinkInContent {
  readonly url: string;
  readonly origin: LinkOrigin;
  readonly placement: Placement | undefined;
  /** False for mail and telephone addresses, which no redirect can count. */
  readonly isTrackable: boolean;
}

/** The key of a link: two equal URLs are one link unless they are in different placements. */
export const linkKey = (idPlacement: number | null | undefined, url: string) => `${idPlacement ?? 0} ${url}`;

/** The addresses in order; shared ones are the campaign's, an advertisement's are one link for each place. */
export function linksInContent(
  campaign: Campaign,
  frame: ContentFrame | undefined,
  segments: readonly Segment[],
  placements: readonly Placement[],
): LinkInContent[] {
  const { html, text } = ownContent(campaign);
  const own = new Set([...htmlLinks(html), ...textLinks(text)].map((link) => link.url));
  const links = new Map<string, LinkInContent>();
  const add = ({ url, isTrackable }: ContentLink, placement?: Placement) => {
    const origin = placement ? 'advertisement' : own.has(url) ? 'campaign' : 'configuration';
    const key = linkKey(placement?.id, url);
    if (!links.has(key)) links.set(key, { url, isTrackable, origin, placement });
  };
  const byId = new Map(placements.map((placement) => [placement.id, placement]));
  const messages = segmentMessages(campaign, frame, segments, placements);
  for (const { html: sent, spans } of messages.htmls) {
    const spanAt = follow(spans);
    for (const link of htmlLinks(sent)) add(link, byId.get(spanAt(link.start, link.start + 1)?.id ?? 0));
  }
  for (const link of textLinks(messages.text)) add(link);
  return [...links.values()];
}
