import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import { Closed, Int32, Nullable, OneOf, type Static, Timestamp, Type } from '../platform/http/schema.ts';

/** Final states of recipients that a sending did not reach, or may not have reached. */
export const unreachedStates = ['refused', 'expired', 'uncertain'] as const;
export type UnreachedState = (typeof unreachedStates)[number];

/** A recipient that a sending did not reach, as the API returns it. */
export const UnreachedRecipient = Closed('UnreachedRecipient', {
  idSubscriber: Int32(),
  email: Nullable(
    Type.String({ description: 'The current email address; null if the subscriber was deleted' }),
  ),
  state: OneOf(unreachedStates, 'The final state'),
  code: Int32('The SMTP reply code; 0 if there was no reply'),
  reason: Type.String({
    description:
      "Why the message did not arrive: the relay's words about a refused mailbox, otherwise a sentence",
  }),
  date: Timestamp('When the state became final'),
});

/** A recipient with a final state. */
export interface RecipientResult {
  readonly idSubscriber: number;
  /** The address as it is now; null when the subscriber was deleted since. */
  readonly email: string | null;
  readonly state: ReceiptState;
  /** SMTP reply code; 0 when there was no reply. */
  readonly code: number;
  /** Whether the relay refused the mailbox itself, as one that does not exist. */
  readonly isDeadMailbox: boolean;
  /** Enhanced status code of the relay's reply; null when no reply was kept. */
  readonly status: string | null;
  /** The relay's own words. */
  readonly reply: string | null;
  readonly at: Date;
}

const nameOf = new Map<ReceiptState, UnreachedState>(
  unreachedStates.map((name) => [receiptStates[name], name]),
);

/** The numbers of states as receipts hold them. */
export const statesNamed = (names: readonly UnreachedState[]): ReceiptState[] =>
  names.map((name) => receiptStates[name]);

/** @throws Error for a state that is not one of `unreachedStates`. */
export function showUnreached(result: RecipientResult): Static<typeof UnreachedRecipient> {
  const { idSubscriber, email, code, at } = result;
  const state = nameOf.get(result.state);
  if (!state) throw new Error(`State ${result.state} is not one of a recipient who was not reached`);
  return { idSubscriber, email, state, code, reason: reasonOf(state, result), date: at.toISOString() };
}

const whatHappened: Readonly<Record<UnreachedState, string>> = {
  refused: 'the relay rejected the message permanently, or it could not be built',
  expired: 'the relay kept deferring the message until the time limit',
  uncertain: 'the reply to the final dot was lost: the message may or may not have arrived',
};

/** Replies begin with their code and mostly repeat the enhanced one, so that it is added only where they do not. */
function reasonOf(state: UnreachedState, { code, reply, status, isDeadMailbox }: RecipientResult): string {
  const what = isDeadMailbox ? 'the mailbox does not exist' : whatHappened[state];
  if (!reply) return code === 0 ? what : `${what} (SMTP code ${code})`;
  const words = status && !reply.includes(status) ? `${status} ${reply}` : reply;
  return `${what}: ${words}`;
}
