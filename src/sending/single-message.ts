import { createHash } from 'node:crypto';
import { receiptStates } from '../activity/receipt.ts';
import type { MessageSources } from '../campaigns/campaign-blocks.ts';
import { bodyOf, isEmptySource } from '../contents/assemble-content.ts';
import type { PageLanguage } from '../contents/page-language.ts';
import { escapeHtml } from '../contents/tag-escape.ts';
import type { Attachment } from '../mail/message-source.ts';
import { invalid, tooLarge } from '../platform/http/refusal.ts';
import {
  Closed,
  Count,
  Id,
  IdOf,
  Instant,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  referenceKeyword,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';

/**
 * States of a single message, as `single_message.state` stores them: the final states of a recipient, and two before
 * them. An uncertain message may still get its reply, if its process was only slow. The reply is recorded, but the
 * message is never resent.
 */
export const singleStates = {
  ...receiptStates,
  /** Waits for its first or next attempt. */
  pending: 10,
  /** The final dot may have been sent. Committed before the dot. */
  handingOver: 11,
} as const;

/** A leased single message: a forward or a single send. */
export interface HeldMessage {
  readonly id: number;
  readonly idSent: number;
  readonly idSubscriber: number;
  /** Fencing token: statements of an earlier holder have no effect. */
  readonly lease: number;
  readonly createdAt: Date;
  readonly deferrals: number;
  /** The installation's epoch at the request; null before the first epoch. */
  readonly epoch: string | null;
  readonly of: HeldForward | HeldSend;
}

/** The part of a forwarded message that is not in the frozen job. */
export interface HeldForward {
  readonly kind: 'forward';
  /** Address of the forward recipient. */
  readonly friend: string;
  /** Name of the forwarder; '' means none. */
  readonly name: string;
  readonly language: PageLanguage;
  /** Whether the address is blocked, or its subscriber is not eligible. */
  readonly isBarred: boolean;
}

/** The part of a single send that is not in the frozen job. */
export interface HeldSend {
  readonly kind: 'send';
  readonly isTransactional: boolean;
  readonly data: Readonly<Record<string, string>>;
  /** The prefix of tracked links' addresses; '' means none. */
  readonly clickTracker: string;
  /** Whether it has its own message or attachments (`ownPartsOf`). */
  readonly hasOwnParts: boolean;
}

const maxContent = 2_000_000;
/** Maximum bytes of all attachments. Relays accept messages of 10 to 50 MB, and base64 adds a third. */
const maxAttached = 10 * 1024 ** 2;
const maxDataCharacters = 200_000;
/** The fields that messages may show by default, as the API document defines. */
export const usualFields: readonly number[] = [0, 1, 7, 8, 43];

const Url = (description: string) =>
  Type.String({
    title: 'String',
    maxLength: 2000,
    pattern: '^(https?://[\\x21-\\x7e]+)?$',
    description,
    examples: ['https://count.example/?to='],
  });

const SingleAttachment = Closed('Attachment', {
  fileContent: Type.String({
    title: 'String',
    maxLength: 14_000_000,
    pattern: '^[A-Za-z0-9+/]*={0,2}$',
    examples: ['SGVsbG8='],
    description: 'The content of the file in base64, without line breaks',
  }),
  fileName: Line(255, 'The name that readers see, with its extension'),
});

/** The body of a call that sends a campaign to one subscriber. */
export const SingleSend = Closed('SingleSend', {
  campaignId: Id('campaign', 'A campaign of mode Simple or Dynamic'),
  subscriberId: IdOf(
    'subscriber',
    Type.Integer({
      title: 'Int32',
      minimum: 0,
      maximum: 2147483647,
      description: 'The subscriber; 0: found by `subscriberSHA256`, `subscriberMD5` or `clientId`',
    }),
  ),
  subscriberMD5: Maybe(Line(32, 'MD5 of the email address in lower case, in hexadecimal digits')),
  subscriberSHA256: Maybe(Line(64, 'SHA-256 of the email address in lower case, in hexadecimal digits')),
  clientId: Type.Optional(
    Type.Union(
      [
        IdOf(
          'subscriber',
          Type.Integer({
            title: 'Int64',
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'Field 43; 0: none',
          }),
        ),
        Type.Null(),
      ],
      { [referenceKeyword]: { zero: 'none', null: 'none' } },
    ),
  ),
  fromAlias: Maybe(Line(255, "The name beside the sender's address. Default: the campaign's")),
  subject: Maybe(Line(500, "The subject; may hold tags. Default: the campaign's")),
  messageHTML: Maybe(
    Text(maxContent, "The HTML in place of htmlContent; may hold tags. Default: the campaign's"),
  ),
  messageTXT: Maybe(
    Text(maxContent, "The text in place of textContent; may hold tags. Default: the campaign's"),
  ),
  attachments: Maybe(
    Type.Array(SingleAttachment, { maxItems: 20, description: 'At most 10 MB in total, before base64' }),
  ),
  customClicTracker: Maybe(
    Url(
      'Counts clicks elsewhere: tracked links lead to this address with the tracked address, encoded, at its end',
    ),
  ),
  customPixelTrackers: Maybe(
    Type.Array(Url('An address of http or https'), {
      maxItems: 10,
      description:
        'Addresses of invisible pictures that count opens elsewhere, placed at the end of the HTML',
    }),
  ),
  idFields: Maybe(
    Type.Array(IdOf('field', Type.Integer({ minimum: 0, maximum: 2147483647 })), {
      maxItems: 500,
      description: 'The fields that the message may show. Default: 0, 1, 7, 8, 43',
    }),
  ),
  emailData: Maybe(
    Type.Record(Type.String(), Text(100_000), {
      title: 'EmailData',
      additionalProperties: false,
      maxProperties: 1000,
      description:
        'What the tags `[[DATA.name]]` of the message show, by name; upper and lower case are equal',
    }),
  ),
});
export type SingleSend = Static<typeof SingleSend>;

/** Returns the values of `emailData`, by name in lower case. @throws 400 for names that no tag can hold */
export function dataOf({ emailData }: SingleSend): ReadonlyMap<string, string> {
  const data = new Map<string, string>();
  let characters = 0;
  for (const [given, value] of Object.entries(emailData ?? {})) {
    const name = given.toLowerCase();
    if (!/^[^\s[\]|.\x00-\x1f][^[\]|.\x00-\x1f]{0,254}$/.test(given) || given !== given.trim())
      throw invalid(
        `emailData: the name ${JSON.stringify(given.slice(0, 80))} cannot be used in a tag; use 1 to 255 ` +
          'characters without dots, brackets and bars',
      );
    if (data.has(name))
      throw invalid(`emailData: the name '${name}' is given twice; upper and lower case are equal`);
    data.set(name, value);
    characters += name.length + value.length;
  }
  if (characters > maxDataCharacters)
    throw tooLarge(`emailData: has more than ${maxDataCharacters} characters in total; send less data`);
  return data;
}

/** Returns the files of a call. @throws 400 for a file without a name or content, 413 if they are too large in total */
export function attachmentsOf({ attachments }: SingleSend): Attachment[] {
  let bytes = 0;
  return (attachments ?? []).map(({ fileName, fileContent }, i) => {
    const name = fileName.trim();
    if (name === '' || /[\\/]/.test(name))
      throw invalid(`attachments[${i}].fileName: must be a file name, not empty and without slashes`);
    if (fileContent.length % 4 !== 0)
      throw invalid(`attachments[${i}].fileContent: must be base64 whose length is a multiple of 4`);
    const content = Buffer.from(fileContent, 'base64');
    bytes += content.length;
    if (bytes > maxAttached) throw tooLarge('attachments: have more than 10 MB in total; attach less');
    return { name, content };
  });
}

/** Whether a call overrides a part of the campaign's message. */
export const hasOwnMessage = (send: SingleSend): boolean =>
  (send.customPixelTrackers ?? []).some((url) => url !== '') ||
  [send.subject, send.fromAlias, send.messageHTML, send.messageTXT].some((own) => !isEmptySource(own ?? ''));

/**
 * The sources of a message with the overrides of a call. Header and footer of the configuration frame them, as they
 * frame the campaign's own. A given HTML replaces the text as well, so that both parts say the same.
 */
export function withOverrides(written: MessageSources, send: SingleSend): MessageSources {
  const or = (own: string | null | undefined, other: string) => (isEmptySource(own ?? '') ? other : own!);
  const { asSent } = written;
  const { parameters } = asSent;
  const hasHtml = !isEmptySource(send.messageHTML ?? '');
  const hasText = !isEmptySource(send.messageTXT ?? '');
  return {
    ...written,
    asSent: {
      ...asSent,
      htmlContent: withPixels(or(send.messageHTML, asSent.htmlContent), send.customPixelTrackers ?? []),
      textContent: or(send.messageTXT, asSent.textContent),
      parameters: {
        ...parameters,
        subject: or(send.subject, parameters.subject),
        senderAlias: or(send.fromAlias, parameters.senderAlias),
        hasTextMessage: hasText || (parameters.hasTextMessage && !hasHtml),
      },
    },
  };
}

function withPixels(html: string, urls: readonly string[]): string {
  const pixels = urls
    .filter((url) => url !== '')
    .map(
      (url) => `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;border:0">`,
    );
  if (pixels.length === 0 || isEmptySource(html)) return html;
  const { end } = bodyOf(html);
  return html.slice(0, end) + pixels.join('') + html.slice(end);
}

/** A digest of a body that ignores the order of its properties. */
export const digestOf = (body: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(inNameOrder(body)))
    .digest('base64url');

function inNameOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inNameOrder);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.map(([name, one]) => [name, inNameOrder(one)]);
}

/** The states as the API names them. */
const stateNames = {
  Pending: singleStates.pending,
  HandingOver: singleStates.handingOver,
  Accepted: singleStates.accepted,
  Refused: singleStates.refused,
  Expired: singleStates.expired,
  Uncertain: singleStates.uncertain,
  Cancelled: singleStates.cancelled,
} as const;
const names = Object.keys(stateNames) as (keyof typeof stateNames)[];

/** The outcome of a message to one subscriber, as the API returns it. */
export const SingleMessage = Closed('SingleMessage', {
  id: Type.String({ format: 'uuid' }),
  idCampaign: Int32(),
  idJob: Int32('The job that counts the messages of this version of the campaign and this day'),
  idSent: Int32(),
  idSubscriber: Int32(),
  state: OneOf(
    names,
    'Pending: waits for its first or next attempt. HandingOver: its end is being sent. Accepted: the relay took ' +
      'it. Refused: permanently rejected. Expired: deferred for 24 hours. Uncertain: the reply was lost, and it is ' +
      'not sent again. Cancelled: the subscriber was no longer eligible',
  ),
  code: Int32('The last SMTP reply code; 0 means none'),
  nbDeferrals: Count('How often the relay deferred it'),
  creationDate: Instant(),
  nextAttemptDate: Nullable(Instant('The earliest time of the next attempt; null if it is not pending')),
  endDate: Nullable(Instant('When its state became final; null before')),
});
export type SingleMessage = Static<typeof SingleMessage>;

/** The row of a single send. */
export type SendOutcome = Omit<SingleMessage, 'state'> & { readonly state: number };

export function showOutcome(outcome: SendOutcome): SingleMessage {
  const state = names.find((name) => stateNames[name] === outcome.state);
  if (state === undefined) throw new Error(`Single message ${outcome.id} has the state ${outcome.state}`);
  return { ...outcome, state };
}
