import type { PageLooks } from '../contents/page-language.ts';
import type { AdvertisementSpan } from '../contents/place-advertisements.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { linkIdsOf } from '../mail/link-ids.ts';
import { type MessageLink, type MessageSource, tagOptionsOf } from '../mail/message-source.ts';
import { readerValues } from '../mail/reader-values.ts';

/**
 * Everything that a job's messages are made of (`job.frozen`). Later changes of the campaign, its configuration or its
 * segments do not reach a job that has begun, so every worker and every retry builds the same message.
 */
export interface FrozenJob {
  /** The part that all sendings share: contents, sender, links, fields. */
  readonly source: Omit<MessageSource, 'subject' | 'conf'>;
  readonly sents: readonly FrozenSent[];
  /**
   * The remainder of an A/B test as its segment defines it. It joins `sents` when the winner is chosen (ab-test.ts), so
   * no worker can build its messages earlier.
   */
  readonly remainder?: FrozenSent;
  /** Absent in jobs that were frozen by an older version. */
  readonly configuration?: { readonly id: number; readonly name: string };
  /** Appearance of the readers' pages; absent in jobs that were frozen by an older version. */
  readonly looks?: PageLooks;
  /** Messages per hour; 0 means no limit. */
  readonly sendingSpeed: number;
  /** Right side of return paths. */
  readonly bounceDomain: string;
  /** Public address of the installation, without a trailing slash. */
  readonly publicUrl: string;
}

/** The part of one sending alone. */
export interface FrozenSent {
  readonly subject: string;
  /** The name beside the sender's address. Default, in jobs of older versions: the source's. */
  readonly senderAlias?: string | undefined;
  /** `conf.idSent` identifies the sending. */
  readonly conf: MessageSource['conf'];
  /** The HTML with the segment's advertisements, if any. Default: the shared one. */
  readonly content?: FrozenContent;
}

/** An HTML with a segment's advertisements, and everything that depends on it: another sending can take it whole. */
export interface FrozenContent {
  readonly html: string;
  readonly spans: readonly AdvertisementSpan[];
  /** Ids of the placements in the HTML. */
  readonly placements: readonly number[];
  /** Tracked links of its advertisements. */
  readonly links: readonly MessageLink[];
  /** The sending's own text. Default: the shared one. */
  readonly text?: string;
}

/** Every sending of a frozen job, including the remainder of an A/B test that waits for its winner. */
export function allSentsOf({ sents, remainder }: FrozenJob): readonly FrozenSent[] {
  return remainder ? [...sents, remainder] : sents;
}

/** The source of one sending's messages. @throws Error for a sending of another job */
export function sourceOf(frozen: FrozenJob, idSent: number): MessageSource {
  const own = frozen.sents.find((sent) => sent.conf.idSent === idSent);
  if (!own) throw new Error(`The frozen job has no sending with idSent ${idSent}`);
  const { subject, conf, content, senderAlias = frozen.source.from.alias } = own;
  const from = { ...frozen.source.from, alias: senderAlias };
  const source = { ...frozen.source, from, subject, conf };
  if (!content) return source;
  const { html, spans, text = source.text } = content;
  return { ...source, html, text, spans, links: [...frozen.source.links, ...content.links] };
}

/**
 * The HTML that all messages of a sending share, with empty tags and without a pixel.
 * @param linkTo the address of a tracked link, by its id; links to pages of the service become `#`
 * @returns undefined for messages without HTML
 * @throws FilledTooLarge
 */
export function sharedHtml(
  frozen: FrozenJob,
  idSent: number,
  linkTo: (idLink: number) => string,
): string | undefined {
  const source = sourceOf(frozen, idSent);
  if (source.html.trim() === '') return undefined;
  const linkOf = linkIdsOf(source).inHtml();
  const options = { kind: 'html', ...tagOptionsOf(source), linkOf, hasPixel: false } as const;
  const { nodes } = compileTags(source.html, options);
  const address = (_: string, idLink?: number) => (idLink === undefined ? '#' : linkTo(idLink));
  return fillTags(nodes, readerValues(source, { idSubscriber: 0 }, undefined, address));
}
