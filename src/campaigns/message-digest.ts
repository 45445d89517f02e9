import { createHash } from 'node:crypto';
import type { MessageSources } from './campaign-blocks.ts';
import { senderAliasOf, subjectOf } from './campaign-content.ts';
import { segmentMessages } from './segment-messages.ts';

/** A tracked link of messages; `placement` is null for those of the contents. */
export interface SentLink {
  readonly url: string;
  readonly id: number;
  readonly placement: number | null;
}

/**
 * A digest of each segment's message, by segment id: equal as long as nothing in the message has changed. Excluded
 * segments send none. Values of subscribers and settings of the installation do not count.
 */
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
