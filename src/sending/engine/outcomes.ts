import type { MailboxRefusal } from '../../activity/bounce.ts';
import { classifyMailbox, refusalEvidence } from '../../activity/bounce-rules.ts';
import { type ReceiptState, receiptStates } from '../../activity/receipt.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import { deferredState } from '../sent.ts';
import type { FailureReply } from '../sent-store.ts';

/**
 * Outcomes as the log holds them (send_log.states): the final states of a receipt, and two that leave the recipient
 * open: `withdrawn`, an intent whose final dot was never written, and `deferred`, deferred by the relay.
 */
export const outcomes = { withdrawn: 0, ...receiptStates, deferred: deferredState } as const;
export type OutcomeState = (typeof outcomes)[keyof typeof outcomes];

/** The outcome for one recipient. */
export interface Outcome {
  readonly id: number;
  readonly state: OutcomeState;
  /** SMTP reply code; 0 when there was none. */
  readonly code: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The meaning of a refusal for the mailbox, if it has any; stored with the outcome, and not in the log. */
  readonly refusal?: MailboxRefusal;
  /** The reason why the recipient was refused or expired, if there is no `refusal`; stored likewise. */
  readonly failure?: FailureReply;
}

/** A recipient that was deferred. */
export interface Deferral {
  readonly attempts: number;
  /** Times of the first and the last deferral, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** SMTP reply code of the last deferral. */
  readonly code: number;
}

/** The final state of a recipient, as its receipt will contain it. */
export interface FinalState {
  readonly state: ReceiptState;
  /** SMTP reply code; 0 when there was none. */
  readonly code: number;
}

/** One row of the log; within it outcomes come before intents. */
export interface LogRow {
  readonly at: Date;
  readonly intents: readonly number[];
  readonly outcomes: readonly number[];
  readonly states: readonly OutcomeState[];
  readonly codes: readonly number[];
}

/** The known outcomes of a range's recipients. A recipient in none of the lists has not been attempted. */
export interface RangeMemory {
  readonly finals: Map<number, FinalState>;
  readonly deferred: Map<number, Deferral>;
  /** Recipients with an intent and no outcome: the relay may have accepted the message or not. */
  readonly unknown: Set<number>;
}

export const emptyMemory = (): RangeMemory => ({
  finals: new Map(),
  deferred: new Map(),
  unknown: new Set(),
});

/** Folds the log of a range, oldest row first. */
export function foldLog(rows: readonly LogRow[]): RangeMemory {
  const memory = emptyMemory();
  for (const row of rows) {
    row.outcomes.forEach((id, index) => {
      const outcome = { id, state: row.states[index]!, code: row.codes[index]!, at: row.at.getTime() };
      applyOutcome(memory, outcome);
    });
    for (const id of row.intents) memory.unknown.add(id);
  }
  return memory;
}

/** Applies one outcome; a final state is never changed again. */
export function applyOutcome(memory: RangeMemory, { id, state, code, at }: Outcome): void {
  memory.unknown.delete(id);
  if (state === outcomes.withdrawn || memory.finals.has(id)) return;
  if (state === outcomes.deferred) {
    const before = memory.deferred.get(id);
    const attempts = (before?.attempts ?? 0) + 1;
    memory.deferred.set(id, { attempts, firstAt: before?.firstAt ?? at, lastAt: at, code });
    return;
  }
  memory.deferred.delete(id);
  memory.finals.set(id, { state, code });
}

/** The times at which a deferred message (4xx) is retried. */
export interface RetryPolicy {
  /** Milliseconds after the first, second … deferral; the last one repeats. */
  readonly delays: readonly number[];
  /** Milliseconds after the first deferral at which retries end. */
  readonly giveUpAfter: number;
}

const minute = 60_000;

/** Greylisting accepts a second attempt after some minutes; after that, patience costs nothing. */
export const standardRetry: RetryPolicy = {
  delays: [5 * minute, 15 * minute, 30 * minute, 60 * minute, 120 * minute],
  giveUpAfter: 24 * 60 * minute,
};

/**
 * Returns when a message is retried after its `attempts`th deferral (from 1), in ms since 1970. The last attempt is at
 * the end of the time for retries, not a whole delay later.
 */
export function retryAt(
  policy: RetryPolicy,
  { attempts, firstAt, lastAt }: { attempts: number; firstAt: number; lastAt: number },
): number {
  const delay = policy.delays[Math.min(attempts, policy.delays.length) - 1] ?? 0;
  return Math.min(lastAt + delay, Math.max(lastAt, firstAt + policy.giveUpAfter));
}

/** Whether a deferral at `at` is the last one of a message first deferred at `firstAt` (both in ms since 1970). */
export function isOver(policy: RetryPolicy, firstAt: number, at: number): boolean {
  return at - firstAt >= policy.giveUpAfter;
}

/**
 * Returns the reason to store with a refusal: a bounce if it is about the recipient's mailbox, otherwise its reply.
 * Only a reply to RCPT can be a bounce: the sender, the content, and a relay that does not know us are our own fault.
 */
export function whyRefused(
  outcome: DeliveryOutcome & { readonly kind: 'refused' },
): Pick<Outcome, 'refusal' | 'failure'> {
  const { enhanced: status, text } = outcome;
  const found = outcome.of === 'recipient' ? classifyMailbox(refusalEvidence(outcome)) : null;
  return found === null
    ? { failure: { status, reply: text } }
    : { refusal: { class: found, status, diagnostic: text } };
}
