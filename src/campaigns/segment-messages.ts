import { createHash } from 'node:crypto';
import {
  type Content,
  type ContentFrame,
  type ContentParts,
  contentParts,
  joinParts,
} from '../contents/assemble-content.ts';
import {
  type HtmlWithAdvertisements,
  holdsPlaceholder,
  placeAdvertisements,
  unplaced,
} from '../contents/place-advertisements.ts';
import type { Campaign } from './campaign.ts';
import type { MessageSources } from './campaign-blocks.ts';
import { type Placement, placementsAt } from './placement.ts';
import type { Segment, SegmentParameters } from './segment.ts';

/** Maximum characters of the HTML of all segments of a campaign: its job stores them, and every worker holds them. */
const maxCharacters = 8_000_000;

export interface SegmentHtml extends HtmlWithAdvertisements {
  /** Undefined if all segments share the HTML. */
  readonly segment: Segment | undefined;
}

export interface SegmentMessages {
  readonly text: string;
  /** The parts of the text, and of the HTML without advertisements. */
  readonly parts: ContentParts;
  /** At least one. */
  readonly htmls: readonly SegmentHtml[];
}

/** The contents as segments get them, for the checklist, the tracked links and the messages alike. */
export function segmentMessages(
  campaign: Campaign,
  frame: ContentFrame | undefined,
  segments: readonly Segment[],
  placements: readonly Placement[],
): SegmentMessages {
  const parts = messageParts(campaign, frame);
  const { html, text }: Content = joinParts(parts);
  if (!holdsPlaceholder(html)) return { text, parts, htmls: [{ segment: undefined, ...unplaced(html, []) }] };
  let characters = 0;
  const htmlOf = (segment: Segment | undefined): SegmentHtml => {
    const limit = `the messages of all segments have more than ${maxCharacters} characters with their advertisements`;
    const tooMany = { segment, ...unplaced(html, [{ text: limit }]) };
    if (characters > maxCharacters) return tooMany;
    const made = placeAdvertisements(html, placementsAt(placements, segment?.id));
    characters += made.html.length;
    return characters > maxCharacters ? tooMany : { segment, ...made };
  };
  return { text, parts, htmls: segments.length === 0 ? [htmlOf(undefined)] : segments.map(htmlOf) };
}

/** The campaign's own content; the text is empty unless the campaign has one. */
export function ownContent(campaign: Campaign): Content {
  const { hasTextMessage } = campaign.parameters;
  return { html: campaign.htmlContent, text: hasTextMessage ? campaign.textContent : '' };
}

/** The content between header and footer, for the checklist, the tracked links and the messages alike. */
export function messageContent(campaign: Campaign, frame: ContentFrame | undefined): Content {
  return joinParts(messageParts(campaign, frame));
}

function messageParts(campaign: Campaign, frame: ContentFrame | undefined): ContentParts {
  return contentParts(frame, ownContent(campaign), campaign.preheader);
}

/** The subject of a segment's messages. Default: the campaign's. May hold tags. */
export function subjectOf(campaign: Campaign, segment: Pick<SegmentParameters, 'mailObject'>): string {
  return segment.mailObject ?? campaign.parameters.subject;
}

/** The sender's name in a segment's messages: the segment's, the campaign's, or the configuration's. */
export function senderAliasOf(
  campaign: Campaign,
  segment: Pick<SegmentParameters, 'senderAlias'>,
  configuration: { readonly senderAlias: string } | undefined,
): string {
  return segment.senderAlias ?? (campaign.parameters.senderAlias || (configuration?.senderAlias ?? ''));
}

/** A tracked link of messages; `placement` is null for those of the contents. */
export interface SentLink {
  readonly url: string;
  readonly id: number;
  readonly placement: number | null;
}

/** Digests of the messages of segments that are not excluded, by id. They do not cover subscribers' values. */
export function messageDigests(
  { asSent, configuration, segments, placements }: MessageSources,
  links: readonly SentLink[],
): ReadonlyMap<number, string> {
  const sending = segments.filter(({ parameters }) => !parameters.isExcluded);
  const { text, htmls } = segmentMessages(asSent, configuration, sending, placements);
  const { name, responseAlias, useListUnsubscribeHeader } = asSent.parameters;
  return new Map(
    sending.map(({ id, parameters }) => {
      const { html, placements: own } = htmls.find(({ segment }) => segment?.id === id) ?? htmls[0]!;
      const shown = [
        subjectOf(asSent, parameters),
        senderAliasOf(asSent, parameters, configuration),
        responseAlias || configuration?.responseAlias,
        configuration?.recipientAlias,
        html,
        text,
      ];
      const said = [
        ...shown,
        configuration?.senderEMail,
        configuration?.responseEMail,
        configuration?.deleteEmailsAfter,
        useListUnsubscribeHeader,
        links.filter(({ placement }) => placement === null || own.includes(placement)),
        // Readers see these names only where a tag shows them.
        shown.some((part) => /\bCONF\b/i.test(part ?? '')) ? [name, parameters.name] : [],
      ];
      return [id, createHash('sha256').update(JSON.stringify(said)).digest('base64url')];
    }),
  );
}
