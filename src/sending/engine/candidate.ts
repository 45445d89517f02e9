import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { MailTo } from '../count-mail.ts';
import type { ReadyMessage } from './job-messages.ts';

/** Who was read longer ago is read again before the message is made, so an unsubscription is heard within this. */
export const staleAfterMs = 5_000;

/** A recipient whose message can be made now. */
export interface Candidate {
  readonly supply: Supply;
  /** Where it stands, for the log. */
  readonly about: Readonly<Record<string, number>>;
  /** Where it goes, for the metrics. */
  readonly mail: MailTo;
  /** Whether its message may be made of what was read, or it is to be taken again. */
  readonly isFresh: boolean;
  /**
   * The message; undefined when what it is made of cannot be read now, which says nothing of it: it is deferred.
   * @throws Error when it cannot be made; the recipient is refused for it, and a retry would not help.
   */
  make(): Promise<ReadyMessage | undefined>;
  /** Resolves when the intent to hand it over is durable; rejects when it must not leave. */
  intend(): Promise<void>;
  /** Enters what became of it on a connection. `ours`: we broke it off ourselves. */
  delivered(outcome: DeliveryOutcome, ours: boolean): void;
}

/** Where the connections of a route get messages from: a job at work, or the single messages of a site. */
export interface Supply {
  /**
   * How many a connection could take now. What `take` does not give must not count: a connection asks again at once as
   * long as anything is ready.
   */
  readonly readyCount: number;
  /** What writes the intents and outcomes; `idle` resolves when all of them are written. */
  readonly commit: { idle(): Promise<void> };
  /** The next one, or undefined when none is ready; more are then on their way. */
  take(): Candidate | undefined;
}
