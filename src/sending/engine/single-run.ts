import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { currentEpoch } from '../../installation/installation-store.ts';
import { compileMessage } from '../../mail/compile-message.ts';
import { isExpired } from '../../mail/message-source.ts';
import { needsOf } from '../../mail/reader-values.ts';
import type { Recipient } from '../../mail/recipient.ts';
import type { App } from '../../platform/app.ts';
import { Batcher } from '../../platform/batcher.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import { forwardedJob } from '../forward.ts';
import { type FrozenJob, sourceOf } from '../frozen-job.ts';
import { JobMessages, type ReadyMessage } from '../job-messages.ts';
import { readRecipients } from '../recipient-store.ts';
import { frozenJobOf } from '../sent-store.ts';
import { type HeldForward, type HeldMessage, type HeldSend, singleStates } from '../single-message.ts';
import {
  deferSingle,
  type Ending,
  endLostSingles,
  endSingles,
  freeSinglesOfEnded,
  type Intent,
  intendSingles,
  keepSingles,
  ownPartsOf,
  returnSingle,
  shownParts,
  takeSingles,
  withdrawSingles,
} from '../single-message-store.ts';
import { Delivery, type DeliveryOwner, type EngineParts, ReadyDeliveries, type Result } from './delivery.ts';
import { isOver, outcomes, retryAt } from './outcomes.ts';
import { Permit } from './permits.ts';

/** Messages that one process holds of a site at a time. */
const mostHeld = 200;
/** Messages whose intents or outcomes share one commit. */
const mostInCommit = 100;
/** Milliseconds until a failed write is retried; usually the database is unavailable. */
const writeAgainMs = 500;
/** Milliseconds after its time for retries at which a message that was not attempted expires. */
const lateAfterMs = 3_600_000;
/** Milliseconds until a message to a suspended provider is read again. */
const suspendedAgainMs = 30_000;
/** Milliseconds between renewals of the leases; polls are far more frequent while many messages are added. */
const tidyEveryMs = 500;

interface Taken {
  readonly held: HeldMessage;
  readonly reader: Recipient;
}

/**
 * The single messages of one site in this process: holds those that are due by lease, offers them to the connections,
 * and records their outcomes. The intent is committed before the final dot and the outcome after the reply, many
 * messages in one commit. After a crash at any point, a message is retried or uncertain, and never handed over twice.
 */
export class SingleRun implements DeliveryOwner<Taken> {
  readonly db: SiteDb;
  readonly #parts: EngineParts;
  readonly #mayGoOn: () => Promise<boolean>;
  readonly #wake: () => void;
  readonly #ready: ReadyDeliveries<Taken>;
  /** Messages that were released without an attempt and are returned by the next poll. */
  readonly #released = new Set<Taken>();
  readonly #held = new Map<number, Taken>();
  readonly #writes = new Set<Promise<void>>();
  readonly #messages: SingleMessages;
  /** Committed intents of this process; those of messages that another process holds are missing. */
  readonly #intended = new WeakSet<Intent>();
  readonly #intents: Batcher<Intent>;
  readonly #endings: Batcher<Ending>;
  #polling: Promise<void> | undefined;
  #tidiedAt = Number.NEGATIVE_INFINITY;
  #stopping = false;

  readonly commit = {
    idle: async () => {
      while (this.#writes.size > 0) await Promise.all(this.#writes);
    },
  };

  /** @param of `mayGoOn`: whether anything may be sent; `wake`: called when messages are ready or the run may end */
  constructor(
    parts: EngineParts,
    db: SiteDb,
    of: { readonly mayGoOn: () => Promise<boolean>; readonly wake: () => void },
  ) {
    this.#parts = parts;
    this.db = db;
    this.#mayGoOn = of.mayGoOn;
    this.#wake = of.wake;
    this.#ready = new ReadyDeliveries(parts.providers, of.wake);
    this.#messages = new SingleMessages(parts.app, db);
    this.#intents = new Batcher((intents) => this.#commitIntents(intents), mostInCommit);
    this.#endings = new Batcher((endings) => endSingles(db, endings, this.#now()), mostInCommit);
  }

  get readyCount(): number {
    return this.#stopping ? 0 : this.#ready.takeable;
  }

  /** Whether nothing is held, so that the run needs no connection. */
  get isOver(): boolean {
    return this.#held.size === 0 && !this.#polling;
  }

  /**
   * Renews the leases and takes the messages that are due. Only one poll runs at a time.
   * @throws Error if the database is unavailable
   */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
      this.#wake();
    });
    return this.#polling;
  }

  /** Renews leases, and takes over from processes that have ended. */
  async #tidy(): Promise<void> {
    const { holder } = this.#parts;
    const held = [...this.#held.values()].map((one) => one.held);
    if (held.length > 0) await keepSingles(this.db, held, holder.leaseS);
    await freeSinglesOfEnded(this.db);
    await endLostSingles(this.db, this.#now());
    this.#tidiedAt = performance.now();
  }

  async #poll(): Promise<void> {
    const { holder } = this.#parts;
    this.#ready.release((delivery) => !delivery.isFresh);
    await this.#returnReleased();
    if (performance.now() - this.#tidiedAt > tidyEveryMs) await this.#tidy();
    const room = mostHeld - this.#held.size;
    if (this.#stopping || room <= 0) return;
    const taken = await takeSingles(this.db, this.#now(), holder, room);
    if (taken.length > 0 && !(await this.#mayGoOn())) {
      for (const one of taken) await returnSingle(this.db, one, this.#now());
      return;
    }
    const epoch = (await currentEpoch(this.#parts.app.control))?.id ?? null;
    const readers = await this.#messages.readersOf(taken);
    for (const one of taken) await this.#prepare(one, readers.get(one.id), epoch);
    if (this.#held.size === 0) await withdrawSingles(this.db);
  }

  /** @param reader undefined if the message must not be sent: its reader no longer exists or is no longer eligible */
  async #prepare(held: HeldMessage, reader: Recipient | undefined, epoch: string | null): Promise<void> {
    const { uncertain, cancelled, expired } = singleStates;
    const parts = this.#parts;
    const isLate = isOver(parts.retry, held.createdAt.getTime(), this.#now().getTime() - lateAfterMs);
    // Requested before the database was restored: it may already have been sent since.
    if (held.epoch !== epoch) return this.#endings.add({ held, state: uncertain, code: 0 });
    if (!reader) return this.#endings.add({ held, state: cancelled, code: 0 });
    if (isLate) return this.#endings.add({ held, state: expired, code: 0 });
    const provider = parts.providers.of(reader.domain);
    if (await this.#isSuspended(held, provider))
      return returnSingle(this.db, held, this.#in(suspendedAgainMs));
    const permit = new Permit(parts.hourly);
    const waitMs = await permit.acquire(parts.providers.hourlyLimit(provider));
    if (waitMs > 0) return returnSingle(this.db, held, this.#in(waitMs));
    const taken = { held, reader };
    const { domain } = reader;
    const of = { idSite: this.db.site.id, provider, domain, permit, readAt: performance.now() };
    this.#held.set(held.id, taken);
    this.#ready.push(new Delivery(parts, this, taken, of));
  }

  /** Keeps what is held during a graceful stop; before that, the engine calls `poll`. */
  tick(): void {
    if (this.#stopping)
      this.poll().catch((err) => this.#parts.app.log.warn({ err }, 'leases of single messages not renewed'));
  }

  take(): Delivery<Taken> | undefined {
    return this.#stopping ? undefined : this.#ready.take();
  }

  /** The sender is read only while something of the site is suspended, since that reading can fail too. */
  async #isSuspended({ idSent }: HeldMessage, provider: number): Promise<boolean> {
    const { suspensions } = this.#parts;
    const idSite = this.db.site.id;
    if (!suspensions.isAny(idSite)) return false;
    return suspensions.has(idSite, await this.#messages.senderDomainOf(idSent), provider);
  }

  about({ held }: Taken): { idSingle: number } {
    return { idSingle: held.id };
  }

  maySend(): boolean {
    return true;
  }

  async make({ held, reader }: Taken): Promise<ReadyMessage | undefined> {
    let make: (() => Promise<ReadyMessage>) | undefined;
    try {
      make = await this.#messages.makerOf(held, reader, this.#now());
    } catch (error) {
      this.#parts.app.log.warn(
        { err: error, idSingle: held.id },
        'single message could not be read; retrying',
      );
      return undefined;
    }
    if (!make) throw new Error(`Sending with idSent ${held.idSent} is no longer shown`);
    return make();
  }

  async intend({ held }: Taken, provider: number): Promise<void> {
    const intent = { held, provider };
    await this.#intents.add(intent);
    if (this.#intended.has(intent)) return;
    throw new Error(`Single message ${held.id} is no longer leased by this process`);
  }

  async #commitIntents(intents: readonly Intent[]): Promise<void> {
    const ids = await intendSingles(this.db, intents, this.#parts.holder.leaseS);
    for (const intent of intents) if (ids.has(intent.held.id)) this.#intended.add(intent);
  }

  triedSince({ held }: Taken): number {
    return held.createdAt.getTime();
  }

  /** Deferred at the first drop: a count would be lost when the message is returned, perhaps to another process. */
  countDrop(): boolean {
    return true;
  }

  /** Records a result in the background. If the process ends before that, the next holder reports it as uncertain. */
  record(taken: Taken, result: Result): void {
    const write = this.#written(() => this.#enter(taken.held, result)).finally(() => {
      this.#forget(taken);
      this.#writes.delete(write);
      this.#wake();
    });
    this.#writes.add(write);
  }

  /** Retries a write until the database accepts it. */
  async #written(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        this.#parts.app.log.warn({ err: error }, 'outcome of a single message could not be stored; retrying');
        await sleep(writeAgainMs, undefined, { ref: false });
      }
    }
  }

  #enter(held: HeldMessage, { state, code, refusal }: Result): Promise<void> {
    if (state === outcomes.withdrawn) return returnSingle(this.db, held, this.#now());
    if (state !== outcomes.deferred) return this.#endings.add({ held, state, code, refusal });
    const times = { firstAt: held.createdAt.getTime(), lastAt: this.#now().getTime() };
    const next = retryAt(this.#parts.retry, { attempts: held.deferrals + 1, ...times });
    return deferSingle(this.db, held, new Date(next), code);
  }

  /** Forgets a message, unless it was returned and has been taken again before the reply came. */
  #forget(taken: Taken): void {
    const { id } = taken.held;
    if (this.#held.get(id) === taken) this.#held.delete(id);
  }

  /** Takes nothing new, and returns the messages that no connection has, so that another process can take them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#polling?.catch(() => undefined);
    this.#ready.release();
    await this.#returnReleased();
  }

  /** Notes a message that was not attempted; the next poll returns it. */
  putBack(taken: Taken): void {
    this.#released.add(taken);
  }

  async #returnReleased(): Promise<void> {
    const released = [...this.#released];
    this.#released.clear();
    // Before anything is written: if the database failed, a message that is still listed would be held permanently.
    for (const taken of released) this.#forget(taken);
    for (const { held } of released) await returnSingle(this.db, held, this.#now());
  }

  #now(): Date {
    return this.#parts.app.clock.now();
  }

  #in(ms: number): Date {
    return new Date(this.#now().getTime() + ms);
  }
}

/** Sendings whose compiled messages are kept, and the milliseconds that they are: the domain's key may change. */
const mostKept = 32;
const keptForMs = 30_000;

interface Kept {
  readonly frozen: FrozenJob;
  readonly messages: JobMessages;
}

/** The content and recipients of a site's single messages. Each sending is compiled once for all of its messages. */
class SingleMessages {
  readonly #app: App;
  readonly #db: SiteDb;
  readonly #kept = new LRUCache<number, Kept>({ max: mostKept, ttl: keptForMs });

  constructor(app: App, db: SiteDb) {
    this.#app = app;
    this.#db = db;
  }

  /**
   * Reads the messages' recipients, by message id. Recipients that are blocked, deleted or no longer eligible are
   * missing; an unsubscribed one still gets transactional messages.
   */
  async readersOf(held: readonly HeldMessage[]): Promise<ReadonlyMap<number, Recipient>> {
    const readers = new Map<number, Recipient>();
    for (const one of held)
      if (one.of.kind === 'forward' && !one.of.isBarred) readers.set(one.id, friendOf(one, one.of));
    for (const isTransactional of [false, true]) {
      const sends = held.flatMap((one) =>
        one.of.kind === 'send' && one.of.isTransactional === isTransactional ? [{ ...one, of: one.of }] : [],
      );
      for (const idSent of new Set(sends.map((one) => one.idSent))) {
        const ofSent = sends.filter((one) => one.idSent === idSent);
        const found = await this.#recipients(idSent, ofSent, isTransactional);
        for (const { id, idSubscriber, createdAt, of } of ofSent) {
          const recipient = found.get(idSubscriber);
          if (recipient) readers.set(id, { ...recipient, ...ofSend(id, createdAt, of) });
        }
      }
    }
    return readers;
  }

  async #recipients(
    idSent: number,
    sends: readonly { readonly id: number; readonly idSubscriber: number; readonly of: HeldSend }[],
    isTransactional: boolean,
  ): Promise<ReadonlyMap<number, Recipient>> {
    const kept = await this.#keptOf(idSent);
    if (!kept) return new Map();
    const { messages } = kept;
    const withParts = sends.flatMap(({ id, of }) => (of.hasOwnParts ? [id] : []));
    const own = (await shownParts(this.#db, withParts)).flatMap(({ frozen }) => frozen ?? []);
    // A message with its own content may need fields that the others do not.
    const needs =
      own.length === 0
        ? messages.needs
        : needsOf([...own, kept.frozen].map((frozen) => compileMessage(sourceOf(frozen, idSent))));
    const ids = sends.map(({ idSubscriber }) => idSubscriber);
    return readRecipients(this.#db, ids, needs, isTransactional);
  }

  /**
   * Returns a function that builds a message; undefined if its sending is no longer shown.
   * @throws Error if the database is unavailable
   */
  async makerOf(
    held: HeldMessage,
    reader: Recipient,
    at: Date,
  ): Promise<(() => Promise<ReadyMessage>) | undefined> {
    const kept = await this.#keptOf(held.idSent);
    if (!kept || isExpired(kept.frozen.source, at)) return undefined;
    const own = await this.#ownJob(kept.frozen, held);
    const messages = own ? await JobMessages.open(this.#app, this.#db.site.id, own) : kept.messages;
    return () => messages.make(held.idSent, reader);
  }

  /** Returns the frozen job of a message with its own content; undefined if it has the content of its sending. */
  async #ownJob(frozen: FrozenJob, held: HeldMessage): Promise<FrozenJob | undefined> {
    const { id, idSent, createdAt, of } = held;
    if (of.kind === 'forward') return forwardedJob(frozen, idSent, { ...of, at: createdAt });
    const own = of.hasOwnParts ? await ownPartsOf(this.#db, id) : undefined;
    if (!own) return undefined;
    const { source, ...job } = own.frozen ?? frozen;
    return { ...job, source: { ...source, attachments: own.attachments } };
  }

  /** Returns the domain of a sending's sender; '' if nothing is kept of the sending. */
  async senderDomainOf(idSent: number): Promise<string> {
    const kept = await this.#keptOf(idSent);
    return kept ? domainOf(kept.frozen.source.from.email) : '';
  }

  async #keptOf(idSent: number): Promise<Kept | undefined> {
    const known = this.#kept.get(idSent);
    if (known) return known;
    const frozen = await frozenJobOf(this.#db, idSent);
    if (!frozen) return undefined;
    const messages = await JobMessages.open(this.#app, this.#db.site.id, frozen);
    const kept = { frozen, messages };
    this.#kept.set(idSent, kept);
    return kept;
  }
}

const friendOf = ({ id, idSubscriber }: HeldMessage, { friend: email }: HeldForward): Recipient => {
  return { id: idSubscriber, idForward: id, email, domain: domainOf(email), fields: new Map() };
};

const ofSend = (id: number, createdAt: Date, { data, clickTracker }: HeldSend) => {
  return { idSingle: id, date: createdAt.toISOString(), data: new Map(Object.entries(data)), clickTracker };
};
