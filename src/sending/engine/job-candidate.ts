import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Recipient } from '../../mail/recipient.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import type { MailTo } from '../count-mail.ts';
import { type Candidate, type Supply, staleAfterMs } from './candidate.ts';
import type { GroupCommit } from './group-commit.ts';
import type { JobMessages, ReadyMessage } from './job-messages.ts';
import type { RangeRun } from './range-run.ts';

/** The job that a candidate is of. */
export interface JobSupply extends Supply {
  readonly db: SiteDb;
  readonly idJob: number;
  readonly commit: GroupCommit;
  readonly messages: JobMessages;
  /** Whether nothing goes to a provider, because of complaints. */
  isSuspended(provider: number): boolean;
  delivered(candidate: JobCandidate, outcome: DeliveryOutcome, ours: boolean): void;
}

/** What a job at work is told and tells. */
export interface Surroundings {
  /** Candidates are ready, or the job may be over. */
  wake(): void;
  /** Whether this process has a connection to send on: without one, ranges are left to those that have. */
  canSend(): boolean;
}

/** A recipient of a job. */
export class JobCandidate implements Candidate {
  readonly supply: JobSupply;
  readonly run: RangeRun;
  readonly recipient: Recipient;
  readonly provider: number;
  /** What may go to the provider per hour, when one of it was taken for this one; 0 is no limit. */
  readonly perHour: number;
  /** performance.now() when the recipient's row was read. */
  readonly readAt: number;

  constructor(
    job: JobSupply,
    run: RangeRun,
    recipient: Recipient,
    of: { readonly provider: number; readonly perHour: number; readonly readAt: number },
  ) {
    this.supply = job;
    this.run = run;
    this.recipient = recipient;
    this.provider = of.provider;
    this.perHour = of.perHour;
    this.readAt = of.readAt;
  }

  /** Whether its message may be made of what was read, or the recipient is to be read again. */
  get isFresh(): boolean {
    const isRead = performance.now() - this.readAt <= staleAfterMs;
    return this.run.status === 'open' && isRead && !this.supply.isSuspended(this.provider);
  }

  get about(): { idJob: number; id: number } {
    return { idJob: this.supply.idJob, id: this.recipient.id };
  }

  get mail(): MailTo {
    return { idSite: this.supply.db.site.id, idProvider: this.provider };
  }

  make(): Promise<ReadyMessage> {
    return this.supply.messages.make(this.run.idSent, this.recipient);
  }

  intend(): Promise<void> {
    return this.supply.commit.intend(this.run, this.recipient.id);
  }

  delivered(outcome: DeliveryOutcome, ours: boolean): void {
    this.supply.delivered(this, outcome, ours);
  }
}
