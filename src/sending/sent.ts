import type { Counters } from '../activity/counters.ts';
import { figures } from '../activity/figures.ts';
import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import {
  type Segment,
  type SegmentAdvertisement,
  type SegmentParameters,
  SegmentReply,
  showSegment,
} from '../campaigns/segment.ts';
import {
  Bool,
  Closed,
  Count,
  Int32,
  inOrder,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { type AbTestRecord, abTestText } from './ab-test.ts';

/** One segment's sending in one job. */
export interface SentRecord {
  readonly idSent: number;
  readonly idSending: number;
  readonly idJob: number;
  readonly isTest: boolean;
  readonly campaignName: string;
  readonly idCampaign: number;
  readonly idSegment: number;
  readonly position: number;
  /** The segment's parameters at the generation. */
  readonly parameters: SegmentParameters;
  readonly filterName: string;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly nbAddressToSend: number;
  /** The error of its job, if any. */
  readonly errorInfo: string | null;
  /** The A/B test of its job, if any. */
  readonly abTest: AbTestRecord | null;
}

/** The contents of its messages with unfilled tags; null if not requested. */
export interface SentContent {
  readonly html: string | null;
  readonly text: string | null;
}

const identity = {
  idSent: Int32('This sending in this job: what its figures are kept for; the tag [[CONF.7]]'),
  startDate: Nullable(
    Timestamp(
      'When its job was generated; in an A/B test, of the remainder: when the winner was chosen, null before',
    ),
  ),
  endDate: Nullable(Timestamp('When its job ended; null before')),
  idSending: Int32('The segment as sent: the same in every job of the campaign'),
  isTest: Bool('A test mailing: its figures are in no other sum'),
  filterName: Type.String({ description: 'The name that the target of the segment had then' }),
  idJob: Int32('The job that it is part of'),
};

/** A sending in one job, as the API returns it. Its figures count its own recipients. */
export const Sent = Closed('Sent', {
  ...identity,
  nbOpenings: figures.nbOpenings,
  nbUnsubs: figures.nbUnsubs,
  nbAddressSent: figures.nbAddressSent,
  nbAddressToSend: Count('Recipients of its segment when the audience was frozen'),
  msgHtml: Nullable(
    Type.String({
      description: 'The HTML that its messages were made of, tags unfilled; null when it is not given',
    }),
  ),
  msgTxt: Nullable(
    Type.String({ description: 'Their text, tags unfilled; null when they have none or it is not given' }),
  ),
  informations: Type.String({
    description: 'The error of its job, if any; in an A/B test, its progress and the winner',
  }),
  nbOpeners: figures.nbOpeners,
  nbHardBounces: figures.nbHardBounces,
  nbSoftBounces: figures.nbSoftBounces,
  nbAutoResponders: figures.nbAutoRespondersBounces,
  nbDnsErrors: figures.nbDnsErrorsBounces,
  nbSpam: figures.nbSpamBounces,
});
export type Sent = Static<typeof Sent>;

/** A sending with its segment, both as of the generation. */
export const SentWithSegment = Closed('SentWithSegment', {
  campaignName: Type.String({ description: 'The name that the campaign had then' }),
  sent: Sent,
  segment: SegmentReply,
});

const ShortSent = Closed('ShortSent', identity);

/** A sending with its segment, without figures and contents. */
export const ShortSentWithSegment = Closed('ShortSentWithSegment', {
  campaignName: Type.String({ description: 'The name that the campaign had then' }),
  sent: ShortSent,
  segment: Closed('ShortSegment', {
    id: Int32(),
    parameters: Closed('ShortSegmentParameters', { name: Type.String(), idTarget: Int32() }),
  }),
});

const datesOf = ({ startedAt, endedAt }: SentRecord) => ({
  startDate: startedAt?.toISOString() ?? null,
  endDate: endedAt?.toISOString() ?? null,
});

/** @param counters of this sending alone */
export function showSent(record: SentRecord, counters: Counters, content: SentContent): Sent {
  const { abTest, idSent, errorInfo } = record;
  return inOrder(Sent, {
    ...counters,
    ...record,
    ...datesOf(record),
    msgHtml: content.html,
    msgTxt: content.text,
    informations: [abTest ? abTestText(abTest, idSent) : '', errorInfo ?? ''].filter(Boolean).join('. '),
    nbAutoResponders: counters.nbAutoRespondersBounces,
    nbDnsErrors: counters.nbDnsErrorsBounces,
    nbSpam: counters.nbSpamBounces,
  });
}

/** @param isSafe of the current target */
export function showSentWithSegment(
  record: SentRecord,
  sent: Sent,
  isSafe: boolean,
  advertisements: readonly SegmentAdvertisement[],
) {
  const segment: Segment = {
    id: record.idSegment,
    idCampaign: record.idCampaign,
    position: record.position,
    parameters: record.parameters,
    lastCount: record.nbAddressToSend,
  };
  return {
    campaignName: record.campaignName,
    sent,
    segment: showSegment(segment, { isSafe, isSpamScoreValid: false, advertisements }),
  };
}

export function showShortSent(record: SentRecord): Static<typeof ShortSentWithSegment> {
  const { name, idTarget } = record.parameters;
  return {
    campaignName: record.campaignName,
    sent: inOrder(ShortSent, { ...record, ...datesOf(record) }),
    segment: { id: record.idSegment, parameters: { name, idTarget } },
  };
}

/** Final states of recipients that a sending did not reach, or may not have reached. */
export const unreachedStates = ['refused', 'expired', 'uncertain'] as const;

/** State of a deferred recipient in a range's log: the message is retried, and the recipient has no final state. */
export const deferredState = 10;

/** States in which recipients can be listed; all but `deferred` are final. */
export const listedStates = [...unreachedStates, 'deferred'] as const;
type ListedState = (typeof listedStates)[number];
/** A state as receipts and logs hold it. */
export type ListedNumber = ReceiptState | typeof deferredState;

/** A recipient that a sending did not reach, as the API returns it. */
export const UnreachedRecipient = Closed('UnreachedRecipient', {
  idSubscriber: Int32(),
  email: Nullable(
    Type.String({ description: 'The current email address; null if the subscriber was deleted' }),
  ),
  state: OneOf(listedStates, 'The final state, or deferred: the message is retried'),
  code: Int32('The SMTP reply code; 0 if there was no reply'),
  reason: Type.String({
    description:
      "Why the message did not arrive: the relay's words about a refused mailbox, otherwise a sentence",
  }),
  date: Timestamp('When the state became final; of a deferred recipient, when it was last deferred'),
});

/** A recipient with a final state, or one that is deferred. */
export interface RecipientResult {
  readonly idSubscriber: number;
  /** The current address; null if the subscriber was deleted. */
  readonly email: string | null;
  readonly state: ListedNumber;
  /** SMTP reply code; 0 means none. */
  readonly code: number;
  /** Whether the relay rejected the mailbox as nonexistent. */
  readonly isDeadMailbox: boolean;
  /** Enhanced status code of the relay's reply; null if no reply was kept. */
  readonly status: string | null;
  readonly reply: string | null;
  readonly at: Date;
}

const numberOf = (name: ListedState): ListedNumber =>
  name === 'deferred' ? deferredState : receiptStates[name];
const nameOf = new Map<ListedNumber, ListedState>(listedStates.map((name) => [numberOf(name), name]));

/** Numbers of the states in receipts and logs. */
export const statesNamed = (names: readonly ListedState[]): ListedNumber[] => names.map(numberOf);

/** @throws Error for a state that is not one of `listedStates`. */
export function showUnreached(result: RecipientResult): Static<typeof UnreachedRecipient> {
  const { idSubscriber, email, code, at } = result;
  const state = nameOf.get(result.state);
  if (!state) throw new Error(`State ${result.state} is not one of a recipient who was not reached`);
  return { idSubscriber, email, state, code, reason: reasonOf(state, result), date: at.toISOString() };
}

const whatHappened: Readonly<Record<ListedState, string>> = {
  refused: 'the relay rejected the message permanently, or it could not be built',
  expired: 'the relay kept deferring the message until the time limit',
  uncertain: 'the reply to the final dot was lost: the message may or may not have arrived',
  deferred: 'the relay deferred the message, which is retried',
};

/** Replies begin with their code and mostly repeat the enhanced one. It is added only if missing. */
function reasonOf(state: ListedState, { code, reply, status, isDeadMailbox }: RecipientResult): string {
  const what = isDeadMailbox ? 'the mailbox does not exist' : whatHappened[state];
  if (!reply) return code === 0 ? what : `${what} (SMTP code ${code})`;
  const words = status && !reply.includes(status) ? `${status} ${reply}` : reply;
  return `${what}: ${words}`;
}
