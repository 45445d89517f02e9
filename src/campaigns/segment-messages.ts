import {
  type Content,
  type ContentFrame,
  type ContentParts,
  joinParts,
} from '../contents/assemble-content.ts';
import {
  type HtmlWithAdvertisements,
  holdsPlaceholder,
  placeAdvertisements,
  unplaced,
} from '../contents/place-advertisements.ts';
import type { Campaign } from './campaign.ts';
import { messageParts } from './campaign-content.ts';
import { type Placement, placementsAt } from './placement.ts';
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
  /** The parts of the text, and of the HTML without advertisements. */
  readonly parts: ContentParts;
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
  placements: readonly Placement[],
): SegmentMessages {
  const parts = messageParts(campaign, frame);
  const { html, text }: Content = joinParts(parts);
  if (!holdsPlaceholder(html)) return { text, parts, htmls: [{ segment: undefined, ...unplaced(html, []) }] };
  let characters = 0;
  const htmlOf = (segment: Segment | undefined): SegmentHtml => {
    const limit = `the messages of all segments have more than ${maxCharacters} characters with their advertisements`;
    const tooMany = { segment, ...unplaced(html, [limit]) };
    if (characters > maxCharacters) return tooMany;
    const made = placeAdvertisements(html, placementsAt(placements, segment?.id));
    characters += made.html.length;
    return characters > maxCharacters ? tooMany : { segment, ...made };
  };
  return { text, parts, htmls: segments.length === 0 ? [htmlOf(undefined)] : segments.map(htmlOf) };
}
