import type { AdvertisementSpan } from '../contents/place-advertisements.ts';
import type { ConfValues, FieldValue, RecipientLink, TagError, TagField } from '../contents/tag.ts';
import type { CompileOptions } from '../contents/tag-compiler.ts';
import type { TagValues } from '../contents/tag-filler.ts';
import type { RowSlot } from '../contents/tag-tree.ts';
import type { MessageProgram } from './message-program.ts';

/** An address of a header with its display name. */
export interface Mailbox {
  readonly email: string;
  /** Display name; may contain tags; '' means none. */
  readonly alias: string;
}

export interface MessageLink {
  /** The address as stored with the link: entities decoded. */
  readonly url: string;
  readonly id: number;
  /** The span of the HTML (AdvertisementSpan.id) in which the address is this link; undefined outside of spans. */
  readonly placement?: number;
}

/**
 * Everything that the messages of one sending are made of. Plain data, so that it can be frozen as JSON with the job
 * and compiled by any worker to the same bytes.
 */
export interface MessageSource {
  /** May contain tags. Includes a test mailing's prefix. */
  readonly subject: string;
  readonly from: Mailbox;
  /** Null: replies go to the sender. */
  readonly replyTo: Mailbox | null;
  /** Display name of the recipient; may contain tags; '' means none. */
  readonly recipientAlias: string;
  /** With header and footer (see assembleContent); '' for a text-only message. */
  readonly html: string;
  /** With header and footer; '' for an HTML-only message. */
  readonly text: string;
  /** The spans of advertisements in the HTML. Undefined: none, as in jobs frozen before advertisements existed. */
  readonly spans?: readonly AdvertisementSpan[];
  readonly links: readonly MessageLink[];
  /** Whether the HTML part gets the open pixel. */
  readonly hasPixel: boolean;
  /** Whether List-Unsubscribe is sent, with List-Unsubscribe-Post (RFC 8058) unless `hasOneClick` is false. */
  readonly hasListUnsubscribe: boolean;
  /** Default: true, as in jobs frozen before it existed. */
  readonly hasOneClick?: boolean;
  /** Identifier of the list without brackets (RFC 2919), for example `demo.news.example.org`; '' for none. */
  readonly listId: string;
  /** Value of Feedback-ID, for example `12:34:demo:facteur`; '' for none. */
  readonly feedbackId: string;
  /** Right side of Message-ID: `<idsite.idSent.idSubscriber.random@domain>` (see messageIdOf). */
  readonly messageIdDomain: string;
  /**
   * Random part of Message-ID, chosen once per job. Without it, an id could be guessed, and a restored installation
   * would use ids that it has used before. Absent in jobs that were frozen before it existed.
   */
  readonly messageIdRandom?: string;
  /** CONF.date is also the header Date: fixed when the job is frozen, the same in all retries. */
  readonly conf: ConfValues;
  /**
   * When the messages expire, ISO 8601: the header Expires. Fixed like the date. Undefined: never, as in jobs frozen
   * before it existed.
   */
  readonly expires?: string;
  /** The fields of the site; a tag with another one is an error. */
  readonly fields: readonly TagField[];
  /** Folded keys of the content data of the site. Default: none. */
  readonly contentData?: readonly string[];
  /** Whether DATA.name is filled, in single sends. Default: false. */
  readonly hasData?: boolean;
  /** Attached files. Default: none. */
  readonly attachments?: readonly Attachment[];
}

/** An attached file. */
export interface Attachment {
  /** The file name, in one line. */
  readonly name: string;
  readonly content: Buffer;
}

/** Whether the messages of a sending have expired. Readers then no longer see them. */
export function isExpired({ expires }: Pick<MessageSource, 'expires'>, at: Date): boolean {
  return expires !== undefined && new Date(expires) <= at;
}

/** Returns the options for the tags of a source. */
export function tagOptionsOf({
  fields,
  contentData = [],
  hasData = false,
}: Pick<MessageSource, 'fields' | 'contentData' | 'hasData'>): CompileOptions {
  return { fields, contentData: new Set(contentData), hasData };
}

/** A compiled message, ready to be filled for each recipient. */
export interface CompiledMessage {
  /** Ids of the fields that `render` needs, in the order of RecipientValues.fields. */
  readonly fields: readonly number[];
  /** The names of `emailData` that `render` needs, in lower case. */
  readonly data: readonly string[];
  /** The rows of content data that `render` needs. */
  readonly rows: readonly RowSlot[];
  /** Every link that `render` may request, each once, so that their tokens can be made together. */
  readonly links: readonly { readonly kind: RecipientLink; readonly idLink?: number }[];
  /** Tags that cannot be filled. A message with errors must not be sent. */
  readonly errors: readonly TagError[];
  readonly source: MessageSource;
  /** Chunks and slots of the header lines and of the body, for `render` only. */
  readonly program: MessageProgram;
}

/** The values that differ between recipients. */
export interface RecipientValues {
  readonly idSubscriber: number;
  /** The id of a forward: the message is filled without a recipient's fields, and the subscriber is the forwarder. */
  readonly idForward?: number;
  /** The id of a single send; a subscriber may get several of one sending. */
  readonly idSingle?: number;
  /** When a single send was requested, ISO 8601. Default: with its job (CONF.date). */
  readonly date?: string;
  /** The values of DATA.name, by name in lower case. */
  readonly data?: ReadonlyMap<string, string>;
  readonly email: string;
  /** Values as in the database, in the order of CompiledMessage.fields. */
  readonly fields: readonly FieldValue[];
  /** Returns the content data for the reader. */
  readonly row?: TagValues['row'];
  /**
   * Returns the absolute address of a page, the pixel, or (kind `click`) the tracked link `idLink`. ASCII, no spaces.
   */
  linkFor(kind: RecipientLink, idLink?: number): string;
}

/** A message with CRLF line ends, without the final dot. No line starts with a dot, so nothing needs stuffing. */
export interface RenderedMessage {
  /** All header lines, without the empty line that ends them, so that signatures can be put in front. */
  readonly headers: Buffer;
  readonly body: Buffer;
  /** Headers, empty line and body in one buffer, of which the two others are views. */
  readonly message: Buffer;
}
