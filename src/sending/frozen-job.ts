import type { PageLooks } from '../contents/page-language.ts';
import type { AdvertisementSpan } from '../contents/place-advertisements.ts';
import { fillTags } from '../contents/tag-filler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { linkIdsOf } from '../mail/link-ids.ts';
import { type MessageLink, type MessageSource, tagOptionsOf } from '../mail/message-source.ts';
import { readerValues } from '../mail/reader-values.ts';

/**
 * Everything that a job's messages are made of, as `job.frozen` holds it: what is changed in the campaign, its
 * configuration or its segments afterwards does not reach a job that has begun, and every worker and every retry
 * makes the same message.
 */
export interface FrozenJob {
  /** What all sendings share: contents, sender, links, fields. */
  readonly source: Omit<MessageSource, 'subject' | 'conf'>;
  readonly sents: readonly FrozenSent[];
  /**
   * The remainder of an A/B test as its segment says, until a winner is chosen. Then it stands among the sendings
   * (ab-test.ts): before that no worker can make a message of it.
   */
  readonly remainder?: FrozenSent;
  /** The sending configuration that was used; absent in jobs that were frozen before it was kept. */
  readonly configuration?: { readonly id: number; readonly name: string };
  /** How the pages of its readers look; absent in jobs that were frozen before there was a choice. */
  readonly looks?: PageLooks;
  /** Messages per hour; 0 is no limit. */
  readonly sendingSpeed: number;
  /** Right side of return paths. */
  readonly bounceDomain: string;
  /** Where links lead, without a trailing slash. */
  readonly publicUrl: string;
}

/** What one sent has of its own. */
export interface FrozenSent {
  readonly subject: string;
  /** The name beside the sender's address; the source's in jobs that were frozen before segments had one. */
  readonly senderAlias?: string | undefined;
  /** `conf.idSent` says which sent it is. */
  readonly conf: MessageSource['conf'];
  /** Its own HTML, when advertisements are in it; absent: that of all sendings. */
  readonly content?: FrozenContent;
}

/** An HTML with a segment's advertisements. It holds all that is special to it, so that another sent can take it. */
export interface FrozenContent {
  readonly html: string;
  readonly spans: readonly AdvertisementSpan[];
  /** Ids of the placements that are in it. */
  readonly placements: readonly number[];
  /** Tracked links of its advertisements. */
  readonly links: readonly MessageLink[];
  /** Its own text; absent: that of all sendings. */
  readonly text?: string;
}

/** Every sent that was frozen with a job, the remainder of an A/B test at the end while it waits. */
export function allSentsOf({ sents, remainder }: FrozenJob): readonly FrozenSent[] {
  return remainder ? [...sents, remainder] : sents;
}

/** The source of one sent's messages. @throws when the job has no such sent. */
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
 * The HTML that all messages of a sending share: tags of readers are empty, and there is no pixel.
 * @param linkTo where a tracked link leads, by its id; pages of the service lead nowhere
 * @returns undefined for messages of text
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
