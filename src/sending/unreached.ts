import { type ReceiptState, receiptStates } from '../activity/receipt.ts';
import { Closed, Int32, Nullable, OneOf, type Static, Timestamp, Type } from '../platform/http/schema.ts';

/** Final states of recipients whom a sending did not reach, or may not have reached. */
export const unreachedStates = ['refused', 'expired', 'uncertain'] as const;
export type UnreachedState = (typeof unreachedStates)[number];

/** A recipient whom a sending did not reach, as the API returns it. */
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
  /** Enhanced status code of a mailbox that the relay refused; null for anything else. */
  readonly status: string | null;
  /** The relay's own words about that mailbox. */
  readonly diagnostic: string | null;
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

function reasonOf(state: UnreachedState, { code, diagnostic, status }: RecipientResult): string {
  const reply = code === 0 ? '' : ` (SMTP code ${code})`;
  switch (state) {
    case 'refused':
      if (diagnostic) return `the mailbox does not exist: ${[status, diagnostic].filter(Boolean).join(' ')}`;
      return `the relay rejected the message permanently, or it could not be built${reply}`;
    case 'expired':
      return `the relay kept deferring the message until the time limit${reply}`;
    case 'uncertain':
      return 'the reply to the final dot was lost: the message may or may not have arrived';
  }
}
