import { passThroughHeader } from '../../accounts/pass-through.ts';
import type { WebhookProvider } from '../../accounts/route-webhook.ts';
import type { Suspensions } from '../../alerts/suspensions.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { SmtpConnection } from '../../mail/smtp-connection.ts';
import type { App } from '../../platform/app.ts';
import { keptIn } from '../../platform/remembered.ts';
import { sampleDomain } from '../../subscribers/sample-people.ts';
import type { ReadyMessage } from '../job-messages.ts';
import { countDelivery } from '../sending-health.ts';
import type { Holder } from './lease.ts';
import { isOver, type Outcome, outcomes, type RetryPolicy, whyRefused } from './outcomes.ts';
import type { HourlyPermits, Permit } from './permits.ts';
import type { Providers } from './providers.ts';

/** The parts that all jobs and routes of one engine share. */
export interface EngineParts {
  readonly app: App;
  readonly holder: Holder;
  readonly hourly: HourlyPermits;
  readonly providers: Providers;
  readonly suspensions: Suspensions;
  readonly retry: RetryPolicy;
}

/**
 * Maximum age of a recipient's row in milliseconds. Older rows are read again before the message is built, so an
 * unsubscribe takes effect within this time.
 */
export const staleAfterMs = 5_000;

/** Messages for a route's connections: those of a running job, or the single messages of a site. */
export interface Supply {
  /**
   * The number of messages that a connection could take now. It counts none that `take` does not return a second time,
   * because a connection asks again immediately as long as any is ready.
   */
  readonly readyCount: number;
  /** The writer of intents and outcomes; `idle` resolves when all of them are written. */
  readonly commit: { idle(): Promise<void> };
  /** Returns the next message, or undefined if none is ready; more are then being read. */
  take(): Delivery | undefined;
}

/** The owner of deliveries: knows what a message is made of, and where its outcome is recorded. */
export interface DeliveryOwner<T> extends Supply {
  /** Returns the ids of the message, for the log. */
  about(item: T): Readonly<Record<string, number>>;
  /** Whether the message may be sent now, apart from the age of what was read. */
  maySend(item: T, provider: number): boolean;
  /**
   * Builds the message; returns undefined if its content cannot be read now, which defers it.
   * @throws Error if it cannot be built; the recipient is refused, and a retry would not help
   */
  make(item: T): Promise<ReadyMessage | undefined>;
  /** Resolves when the intent to hand the message over is durable; rejects if it must not be sent. */
  intend(item: T, provider: number): Promise<void>;
  /** Returns when the first deferral that counts was, in ms since 1970; undefined if there was none. */
  triedSince(item: T): number | undefined;
  /** Counts a connection that dropped before the final dot. Returns whether the message is to be deferred for it. */
  countDrop(item: T): boolean;
  /** Notes the relay's reply to a message. */
  heard?(outcome: DeliveryOutcome): void;
  record(item: T, result: Result): void;
  /** Returns the recipient, who was not attempted, to be read again. */
  putBack(item: T): void;
  /** Notes that the message waits for a connection to its provider. */
  park?(item: T, provider: number): void;
  /** Takes a parked message again. Returns false if that is no longer possible; by default it always is. */
  unpark?(item: T, provider: number): boolean;
}

/** The result of one message, to be recorded. */
export type Result = Omit<Outcome, 'id' | 'at'>;

/** A message's provider, and what was acquired and read for it. */
interface DeliveryOf {
  readonly idSite: number;
  readonly provider: number;
  /** Domain of the recipient's address. */
  readonly domain: string;
  readonly permit: Permit;
  /** Time when the recipient's row was read (performance.now()). */
  readonly readAt: number;
}

/** Message could not be built for the recipient: rejected by us (RFC 3463 5.6.0 in spirit). */
const notBuilt = {
  kind: 'refused',
  of: 'message',
  code: 554,
  enhanced: '',
  text: 'The message could not be built',
} as const;
/** Message's content could not be read: deferred by us, a local error in processing (RFC 5321 4.2.2). */
const notReadable = { kind: 'deferred', code: 451, enhanced: '', text: '' } as const;

/**
 * The delivery of one message, from the reading of its recipient to the record of its outcome: the same for jobs and
 * for single messages. It holds a permit, which it spends when a connection hands the message over.
 */
export class Delivery<T = unknown> {
  readonly supply: DeliveryOwner<T>;
  readonly item: T;
  readonly #parts: EngineParts;
  readonly #of: DeliveryOf;

  constructor(parts: EngineParts, supply: DeliveryOwner<T>, item: T, of: DeliveryOf) {
    this.#parts = parts;
    this.supply = supply;
    this.item = item;
    this.#of = of;
  }

  get provider(): number {
    return this.#of.provider;
  }

  get permit(): Permit {
    return this.#of.permit;
  }

  /** Whether the message may be built from what was read; if not, its recipient is read again. */
  get isFresh(): boolean {
    const isRead = performance.now() - this.#of.readAt <= staleAfterMs;
    return isRead && this.supply.maySend(this.item, this.provider);
  }

  /** Releases the permit and puts the recipient back, without an attempt. */
  release(): void {
    this.permit.release();
    this.supply.putBack(this.item);
  }

  /** Whether the recipient is made up, so that no relay may get the message. */
  get isToSample(): boolean {
    return this.#of.domain === sampleDomain;
  }

  /** Releases the permit and records that the recipient is not attempted. */
  cancel(): void {
    this.permit.release();
    this.supply.record(this.item, { state: outcomes.cancelled, code: 0 });
  }

  /** Builds the message and hands it over on a connection. Returns false if the relay dropped the connection. */
  async handOver(connection: SmtpConnection, webhook: WebhookProvider | null): Promise<boolean> {
    let message: ReadyMessage | undefined;
    try {
      message = await this.supply.make(this.item);
    } catch (error) {
      this.#parts.app.log.warn({ err: error, ...this.supply.about(this.item) }, 'message could not be built');
      this.#count(notBuilt);
      this.delivered(notBuilt, true);
      return true;
    }
    if (!message) {
      this.delivered(notReadable, true);
      return true;
    }
    // The intent is committed after the body, not beside it: when the commit returns, a relay that hung up on the body
    // is known to have done so, before the final dot makes the message uncertain.
    let isIntentRefused = false;
    const { envelope, pieces } = message;
    const marked = webhook ? [passThroughHeader(webhook, envelope.from), ...pieces] : pieces;
    const outcome = await connection.deliver(envelope, marked, async () => {
      try {
        await this.supply.intend(this.item, this.provider);
      } catch (error) {
        isIntentRefused = true;
        throw error;
      }
    });
    this.#count(outcome);
    this.delivered(outcome, isIntentRefused);
    return isIntentRefused || (outcome.kind !== 'notAttempted' && outcome.kind !== 'unknown');
  }

  #count(outcome: DeliveryOutcome): void {
    countDelivery(this.#parts.app, { idSite: this.#of.idSite, idProvider: this.provider }, outcome);
  }

  /**
   * Spends the permit and records the outcome of the attempt.
   * @param isOurs whether this process aborted the attempt, and not the relay
   */
  delivered(outcome: DeliveryOutcome, isOurs: boolean): void {
    this.permit.spend();
    if (!isOurs) this.supply.heard?.(outcome);
    this.supply.record(this.item, this.#resultOf(outcome, isOurs));
  }

  #resultOf(outcome: DeliveryOutcome, isOurs: boolean): Result {
    switch (outcome.kind) {
      case 'accepted':
        return { state: outcomes.accepted, code: outcome.code };
      case 'refused':
        return { state: outcomes.refused, code: outcome.code, ...whyRefused(outcome) };
      case 'unknown':
        return { state: outcomes.uncertain, code: 0 };
      case 'deferred':
        return this.#deferral(outcome.code, outcome.enhanced, outcome.text);
      case 'notAttempted':
        if (!isOurs && this.supply.countDrop(this.item)) return this.#deferral(421, '', outcome.text);
        return { state: outcomes.withdrawn, code: 0 };
    }
  }

  #deferral(code: number, status: string, reply: string): Result {
    const now = this.#parts.app.clock.now().getTime();
    const since = this.supply.triedSince(this.item) ?? now;
    if (!isOver(this.#parts.retry, since, now)) return { state: outcomes.deferred, code };
    return { state: outcomes.expired, code, failure: { status, reply } };
  }
}

/**
 * Messages that a connection can take. A message to a provider whose connections are all in use is parked: the next
 * free one takes it immediately, and it delays no other message.
 */
export class ReadyDeliveries<T> {
  readonly #providers: Providers;
  readonly #wake: () => void;
  #next: Delivery<T>[] = [];
  /** Parked messages by provider; no list is empty. */
  readonly #parked = new Map<number, Delivery<T>[]>();

  /** @param wake is called when a parked message may be taken. */
  constructor(providers: Providers, wake: () => void) {
    this.#providers = providers;
    this.#wake = wake;
  }

  /** The number of messages that are not parked. */
  get length(): number {
    return this.#next.length;
  }

  /** The number of messages that could be taken now. */
  get takeable(): number {
    let count = this.#next.length;
    for (const [provider, { length }] of this.#parked)
      count += Math.min(length, this.#providers.free(provider, this.#wake));
    return count;
  }

  /** The providers for whose connections messages wait. */
  get awaited(): number[] {
    return [...this.#parked.keys()];
  }

  isAwaited(provider: number): boolean {
    return this.#parked.has(provider);
  }

  push(delivery: Delivery<T>): void {
    this.#next.push(delivery);
  }

  /** Returns the next message, with a connection to its provider. Releases messages that are no longer fresh. */
  take(): Delivery<T> | undefined {
    for (const [provider, parked] of this.#parked) {
      while (parked.length > 0 && this.#isFree(provider)) {
        const next = parked.shift()!;
        if (parked.length === 0) this.#parked.delete(provider);
        if (next.isFresh && next.supply.unpark?.(next.item, provider) !== false) return this.#connected(next);
        next.release();
      }
    }
    for (let next = this.#next.shift(); next; next = this.#next.shift()) {
      if (!next.isFresh) next.release();
      else if (this.#isFree(next.provider)) return this.#connected(next);
      else this.#park(next);
    }
    return undefined;
  }

  #isFree(provider: number): boolean {
    return this.#providers.free(provider, this.#wake) > 0;
  }

  #connected(delivery: Delivery<T>): Delivery<T> {
    delivery.permit.connect(this.#providers.connectionsTo(delivery.provider));
    return delivery;
  }

  #park(delivery: Delivery<T>): void {
    delivery.supply.park?.(delivery.item, delivery.provider);
    keptIn(this.#parked, delivery.provider, () => []).push(delivery);
  }

  /** Releases the messages that `which` selects; all if it is omitted. */
  release(which: (delivery: Delivery<T>) => boolean = () => true): void {
    const released = new Set([...this.#next, ...[...this.#parked.values()].flat()].filter(which));
    const isKept = (delivery: Delivery<T>) => !released.has(delivery);
    this.#next = this.#next.filter(isKept);
    for (const [provider, parked] of this.#parked) {
      const kept = parked.filter(isKept);
      if (kept.length > 0) this.#parked.set(provider, kept);
      else this.#parked.delete(provider);
    }
    for (const delivery of released) delivery.release();
  }
}
