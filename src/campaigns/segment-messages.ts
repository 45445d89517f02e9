import type { Content, ContentFrame } from '../contents/assemble-content.ts';
import {
  type HtmlWithAdvertisements,
  holdsPlaceholder,
  placeAdvertisements,
} from '../contents/place-advertisements.ts';
import type { Campaign } from './campaign.ts';
import { messageContent } from './campaign-content.ts';
import { type Placing, placingsAt } from './placing.ts';
import type { Segment } from './segment.ts';

/** Characters of the HTML of all segments of a campaign: its job keeps them, and every reader of it holds them. */
const maxCharacters = 8_000_000;

/** The HTML of the messages of one segment. */
export interface SegmentHtml extends HtmlWithAdvertisements {
  /** Undefined: of every segment, since none has one of its own. */
  readonly segment: Segment | undefined;
}

export interface SegmentMessages {
  readonly text: string;
  /** At least one. */
  readonly htmls: readonly SegmentHtml[];
}

/**
 * The contents as they are sent to segments, with header, footer and each segment's advertisements in place: the one
 * function for the checklist, the tracked links and the messages, so that none of them sees another content.
 */
export function segmentMessages(
  campaign: Campaign,
  frame: ContentFrame | undefined,
  segments: readonly Segment[],
  placings: readonly Placing[],
): SegmentMessages {
  const { html, text }: Content = messageContent(campaign, frame);
  if (!holdsPlaceholder(html)) {
    return { text, htmls: [{ segment: undefined, html, spans: [], placings: [], problems: [] }] };
  }
  let characters = 0;
  const htmlOf = (segment: Segment | undefined): SegmentHtml => {
    const limit = `the messages of all segments have more than ${maxCharacters} characters with their advertisements`;
    const tooMany = { segment, html, spans: [], placings: [], problems: [limit] };
    if (characters > maxCharacters) return tooMany;
    const made = placeAdvertisements(html, placingsAt(placings, segment?.id));
    characters += made.html.length;
    return characters > maxCharacters ? tooMany : { segment, ...made };
  };
  return { text, htmls: segments.length === 0 ? [htmlOf(undefined)] : segments.map(htmlOf) };
}
