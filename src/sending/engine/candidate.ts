import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Recipient } from '../../mail/recipient.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import type { JobMessages, ReadyMessage } from '../job-messages.ts';
import type { MailTo } from '../sending-health.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Providers } from './providers.ts';
import type { RangeRun } from './range-run.ts';

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

/**
 * The recipients of a job whose messages a connection can take. Those to whose provider all our connections are busy
 * stand aside: the next of these that is free continues with them at once, and no one else is held up. As far as
 * their ranges know they are set aside for the provider (RangeRun.hold) until they are taken.
 */
export class ReadyCandidates {
  readonly #providers: Providers;
  readonly #wake: () => void;
  readonly #next: JobCandidate[] = [];
  /** By provider; no list is empty. */
  readonly #aside = new Map<number, JobCandidate[]>();

  /** @param wake is called when somebody who stands aside may be taken. */
  constructor(providers: Providers, wake: () => void) {
    this.#providers = providers;
    this.#wake = wake;
  }

  /** How many are ready of whom it is not known that they have to wait. */
  get length(): number {
    return this.#next.length;
  }

  /** How many could be taken now. */
  get takeable(): number {
    let count = this.#next.length;
    for (const [provider, { length }] of this.#aside)
      count += Math.min(length, this.#providers.room(provider, this.#wake));
    return count;
  }

  /** The providers whose connections somebody waits for. */
  get awaited(): number[] {
    return [...this.#aside.keys()];
  }

  isAwaited(provider: number): boolean {
    return this.#aside.has(provider);
  }

  push(candidate: JobCandidate): void {
    this.#next.push(candidate);
  }

  /** The next one, counted as running to the provider. Who is to be re-read before goes to `giveBack`. */
  take(giveBack: (candidate: JobCandidate) => void): JobCandidate | undefined {
    for (const [provider, aside] of this.#aside) {
      while (aside.length > 0 && this.#providers.room(provider, this.#wake) > 0) {
        const next = aside.shift()!;
        if (aside.length === 0) this.#aside.delete(provider);
        if (next.isFresh && next.run.takeHeld(next.recipient.id, provider)) return this.#begin(next);
        giveBack(next);
      }
    }
    for (let next = this.#next.shift(); next; next = this.#next.shift()) {
      if (!next.isFresh) giveBack(next);
      else if (this.#providers.room(next.provider, this.#wake) > 0) return this.#begin(next);
      else this.#setAside(next);
    }
    return undefined;
  }

  #begin(candidate: JobCandidate): JobCandidate {
    this.#providers.begin(candidate.provider);
    return candidate;
  }

  #setAside(candidate: JobCandidate): void {
    const { run, recipient, provider } = candidate;
    run.hold(recipient.id, provider);
    const aside = this.#aside.get(provider);
    if (aside) aside.push(candidate);
    else this.#aside.set(provider, [candidate]);
  }

  /** Takes out all. */
  drain(): JobCandidate[] {
    const all = [...this.#next.splice(0), ...[...this.#aside.values()].flat()];
    this.#aside.clear();
    return all;
  }
}
