import {
  Closed,
  Count,
  Int32,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { singleStates } from './single-message.ts';
import type { SendOutcome } from './single-send-store.ts';

const words = ['Pending', 'HandingOver', 'Accepted', 'Refused', 'Expired', 'Uncertain', 'Cancelled'] as const;

const wordOf = new Map<number, (typeof words)[number]>([
  [singleStates.pending, 'Pending'],
  [singleStates.handingOver, 'HandingOver'],
  [singleStates.accepted, 'Accepted'],
  [singleStates.refused, 'Refused'],
  [singleStates.expired, 'Expired'],
  [singleStates.uncertain, 'Uncertain'],
  [singleStates.cancelled, 'Cancelled'],
]);

/** What became of a message to one subscriber, as the API shows it. */
export const SingleMessage = Closed('SingleMessage', {
  id: Type.String({ format: 'uuid' }),
  idCampaign: Int32(),
  idJob: Int32('The job that counts the messages of this version of the campaign and this day'),
  idSent: Int32(),
  idSubscriber: Int32(),
  state: OneOf(
    words,
    'Pending: waits for its first or next attempt. HandingOver: its end is being sent. Accepted: the relay took ' +
      'it. Refused: permanently rejected. Expired: deferred for 24 hours. Uncertain: the reply was lost, and it is ' +
      'not sent again. Cancelled: the subscriber was no longer eligible',
  ),
  code: Int32('The last SMTP reply code; 0 means none'),
  nbDeferrals: Count('How often the relay deferred it'),
  creationDate: Timestamp(),
  nextAttemptDate: Nullable(Timestamp('The earliest time of the next attempt; null if it is not pending')),
  endDate: Nullable(Timestamp('When its state became final; null before')),
});
export type SingleMessage = Static<typeof SingleMessage>;

/** The outcome as the API shows it. */
export function showOutcome(outcome: SendOutcome): SingleMessage {
  const state = wordOf.get(outcome.state);
  if (state === undefined) throw new Error(`Single message ${outcome.guid} has the state ${outcome.state}`);
  return {
    id: outcome.guid,
    idCampaign: outcome.idCampaign,
    idJob: outcome.idJob,
    idSent: outcome.idSent,
    idSubscriber: outcome.idSubscriber,
    state,
    code: outcome.code,
    nbDeferrals: outcome.deferrals,
    creationDate: outcome.createdAt.toISOString(),
    nextAttemptDate: state === 'Pending' ? outcome.nextAt.toISOString() : null,
    endDate: outcome.endedAt?.toISOString() ?? null,
  };
}
