import {
  type Content,
  type ContentFrame,
  type ContentParts,
  contentParts,
  joinParts,
} from '../contents/assemble-content.ts';
import type { Campaign } from './campaign.ts';
import type { SegmentParameters } from './segment.ts';

/** Returns the campaign's own content, without text if it is to have none. */
export function ownContent(campaign: Campaign): Content {
  const { hasTextMessage } = campaign.parameters;
  return { html: campaign.htmlContent, text: hasTextMessage ? campaign.textContent : '' };
}

/**
 * The content as it is sent, with the frame of its configuration: the one function for the checklist, the tracked
 * links and the messages, so that none of them sees another content.
 */
export function messageContent(campaign: Campaign, frame: ContentFrame | undefined): Content {
  return joinParts(messageParts(campaign, frame));
}

/** Returns the parts that `messageContent` joins. */
export function messageParts(campaign: Campaign, frame: ContentFrame | undefined): ContentParts {
  return contentParts(frame, ownContent(campaign), campaign.preheader);
}

/** The subject of a segment's messages: its own, else the campaign's. May hold tags. */
export function subjectOf(campaign: Campaign, segment: Pick<SegmentParameters, 'mailObject'>): string {
  return segment.mailObject ?? campaign.parameters.subject;
}

/** The name beside the sender's address in a segment's messages: its own, the campaign's, the configuration's. */
export function senderAliasOf(
  campaign: Campaign,
  segment: Pick<SegmentParameters, 'senderAlias'>,
  configuration: { readonly senderAlias: string } | undefined,
): string {
  return segment.senderAlias ?? (campaign.parameters.senderAlias || (configuration?.senderAlias ?? ''));
}
