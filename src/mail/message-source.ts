import type { AdvertisementSpan } from '../contents/place-advertisements.ts';
import type { ConfValues, FieldValue, RecipientLink, TagError, TagField } from '../contents/tag.ts';
import type { CompileOptions } from '../contents/tag-compiler.ts';
import type { TagValues } from '../contents/tag-filler.ts';
import type { RowSlot } from '../contents/tag-tree.ts';
import type { MessageProgram } from './message-program.ts';

/** An address of a header, with its name. */
export interface Mailbox {
  readonly email: string;
  /** Display name; may hold tags; '' for none. */
  readonly alias: string;
}

/** A tracked link of messages. */
export interface MessageLink {
  /** As stored with the link: entities decoded. */
  readonly url: string;
  readonly id: number;
  /** The span of the HTML (AdvertisementSpan.id) in which the address is this link; absent: outside of spans. */
  readonly placement?: number;
}

/**
 * All that the messages of one sent are made of: plain data, so that it can be frozen as JSON with the job
 * and compiled again by any worker to the same bytes.
 */
export interface MessageSource {
  /** May hold tags. A test mailing's prefix is in front of it already. */
  readonly subject: string;
  readonly from: Mailbox;
  /** Null: answers go to the sender. */
  readonly replyTo: Mailbox | null;
  /** Display name of the recipient; may hold tags; '' for none. */
  readonly recipientAlias: string;
  /** With header and footer (see assembleContent); '' for a message of text only. */
  readonly html: string;
  /** With header and footer; '' for a message of HTML only. */
  readonly text: string;
  /** Where in the HTML advertisements stand; absent: nowhere, as in all that was frozen before there were any. */
  readonly spans?: readonly AdvertisementSpan[];
  readonly links: readonly MessageLink[];
  /** Whether the HTML part gets the open pixel. */
  readonly hasPixel: boolean;
  /** Whether List-Unsubscribe is sent, and with it List-Unsubscribe-Post (RFC 8058) unless `hasOneClick` says no. */
  readonly hasListUnsubscribe: boolean;
  /** Absent: yes, as in all that was frozen before it was asked. */
  readonly hasOneClick?: boolean;
  /** Identifier of the list without brackets (RFC 2919), e.g. `demo.news.example.org`; '' for none. */
  readonly listId: string;
  /** Value of Feedback-ID, e.g. `12:34:demo:facteur`; '' for none. */
  readonly feedbackId: string;
  /** Right side of Message-ID: `<idsite.idSent.idSubscriber.random@domain>` (see messageIdOf). */
  readonly messageIdDomain: string;
  /**
   * Random part of Message-ID, chosen once per job. Without it, an id could be guessed, and a restored installation
   * would use ids that it has used before. Absent in jobs that were frozen before it existed.
   */
  readonly messageIdRandom?: string;
  /** CONF.date is also the header Date: fixed when the job is frozen, the same over all retries. */
  readonly conf: ConfValues;
  /**
   * When the messages lose their worth, ISO 8601: the header Expires. Fixed like the date. Absent: they never do, as in
   * all that was frozen before there was such a date.
   */
  readonly expires?: string;
  /** The fields of the site; a tag that names another is an error. */
  readonly fields: readonly TagField[];
  /** Folded keys of the content data of the site; absent: none. */
  readonly contentData?: readonly string[];
  /** Whether DATA.name is filled: in single sends. Absent: no. */
  readonly hasData?: boolean;
  /** Files that the message carries; absent: none. */
  readonly attachments?: readonly Attachment[];
}

/** A file that a message carries. */
export interface Attachment {
  /** One line. */
  readonly name: string;
  readonly content: Buffer;
}

/** Have the messages of a sent lost their worth? Readers are then shown none of them any more. */
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

/** A message ready to be filled for each recipient; made by compileMessage. */
export interface CompiledMessage {
  /**
   * Ids of the fields that `render` needs, in the order in which RecipientValues.fields holds their values.
   */
  readonly fields: readonly number[];
  /** The names of `emailData` that `render` needs, in lower case. */
  readonly data: readonly string[];
  /** The rows of content data that `render` needs. */
  readonly rows: readonly RowSlot[];
  /** Every link that `render` may ask for, each once, so that their tokens can be made in one go. */
  readonly links: readonly { readonly kind: RecipientLink; readonly idLink?: number }[];
  /** Tags that cannot be filled. With any, the message must not be sent. */
  readonly errors: readonly TagError[];
  readonly source: MessageSource;
  /** Chunks and slots of the header lines and of the body, for `render` only. */
  readonly program: MessageProgram;
}

/** The values that differ between recipients. */
export interface RecipientValues {
  readonly idSubscriber: number;
  /**
   * The id of a forward: the message is filled without a recipient's fields, and the subscriber is the one who
   * forwarded it.
   */
  readonly idForward?: number;
  /** The id of a single send; a subscriber may get several of one sent. */
  readonly idSingle?: number;
  /** When a single send was requested, ISO 8601; absent: with its job (CONF.date). */
  readonly date?: string;
  /** The values of DATA.name, by name in lower case. */
  readonly data?: ReadonlyMap<string, string>;
  readonly email: string;
  /** Values as the database gives them, aligned with CompiledMessage.fields. */
  readonly fields: readonly FieldValue[];
  /** Returns the content data for the reader. */
  readonly row?: TagValues['row'];
  /**
   * The absolute address of a page, the pixel, or (kind `click`) of the tracked link `idLink`. ASCII, no
   * spaces.
   */
  linkFor(kind: RecipientLink, idLink?: number): string;
}

/**
 * One message with CRLF line ends, without the final dot. No line starts with a dot: nothing needs stuffing.
 */
export interface RenderedMessage {
  /** All header lines; without the empty line that ends them, so that signatures can be put in front. */
  readonly headers: Buffer;
  /** What follows the empty line. */
  readonly body: Buffer;
  /** Headers, empty line and body in one buffer that the two others are views of. */
  readonly message: Buffer;
}
