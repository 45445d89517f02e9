import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ReceiptState } from '../../activity/receipt.ts';
import { currentEpoch } from '../../installation/installation-store.ts';
import { compileMessage } from '../../mail/compile-message.ts';
import { isExpired } from '../../mail/message-source.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { Recipient } from '../../mail/recipient.ts';
import { needsOf } from '../../mail/render-for.ts';
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
import { type Candidate, type Supply, staleAfterMs } from './candidate.ts';
import type { EngineParts } from './engine-parts.ts';
import { providerBucket } from './rate-limit.ts';
import { isOver, retryAt, whyRefused } from './retry.ts';

/** Messages that one process holds of a site at a time. */
const mostHeld = 200;
/** Messages whose intents or outcomes share one commit. */
const mostInCommit = 100;
/** A write that fails is retried after this; the database is unavailable as a rule. */
const writeAgainMs = 500;

/** What could not be attempted for so long after the time to try is over is no longer sent. */
const lateAfterMs = 3_600_000;

/** Messages to a provider where complaints have suspended sending are looked at again after this. */
const suspendedAgainMs = 30_000;

/** Leases are renewed after this time at the earliest; looks come far more often while many messages do. */
const tidyEveryMs = 500;

interface Single extends HeldMessage {
  readonly reader: Reader;
  readonly provider: number;
  /** performance.now() when it was read. */
  readonly readAt: number;
}

const isStale = ({ readAt }: Single): boolean => performance.now() - readAt > staleAfterMs;

/**
 * The single messages of one site at work in this process: holds those that are due by lease, hands them to the
 * connections, and enters what became of each. Intent before the final dot, outcome after the reply, many in one
 * commit: killed anywhere, a message is retried or uncertain, and never handed over twice.
 */
export class SingleRun implements Supply {
  readonly db: SiteDb;
  readonly #parts: EngineParts;
  readonly #mayGoOn: () => Promise<boolean>;
  readonly #wake: () => void;
  #ready: Single[] = [];
  readonly #held = new Map<number, Single>();
  readonly #writes = new Set<Promise<void>>();
  readonly #messages: SingleMessages;
  /** Ids of those among the intents of the last commits that may leave. */
  readonly #intended = new WeakSet<Intent>();
  readonly #intents: Batcher<Intent>;
  readonly #endings: Batcher<Ending>;
  #looking: Promise<void> | undefined;
  #tidiedAt = Number.NEGATIVE_INFINITY;
  #stopping = false;

  readonly commit = {
    idle: async () => {
      while (this.#writes.size > 0) await Promise.all(this.#writes);
    },
  };

  /** @param of `mayGoOn`: whether anything may be sent. `wake`: something is ready, or the run may be idle. */
  constructor(
    parts: EngineParts,
    db: SiteDb,
    of: { readonly mayGoOn: () => Promise<boolean>; readonly wake: () => void },
  ) {
    this.#parts = parts;
    this.db = db;
    this.#mayGoOn = of.mayGoOn;
    this.#wake = of.wake;
    this.#messages = new SingleMessages(parts.app, db);
    this.#intents = new Batcher((intents) => this.#commitIntents(intents), mostInCommit);
    this.#endings = new Batcher((endings) => endSingles(db, endings, this.#now()), mostInCommit);
  }

  get readyCount(): number {
    return this.#stopping ? 0 : this.#ready.filter((one) => this.#mayGo(one)).length;
  }

  /** Nothing is held: the run needs no connection. */
  get isIdle(): boolean {
    return this.#held.size === 0 && !this.#looking;
  }

  /**
   * Renews what is held and takes what is due. At most one look runs. @throws Error when the database is unavailable.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#wake();
    });
    return this.#looking;
  }

  /** Renews leases, and takes over from processes that have ended. */
  async #tidy(): Promise<void> {
    const { holder } = this.#parts;
    if (this.#held.size > 0) await keepSingles(this.db, [...this.#held.values()], holder.leaseS);
    await freeSinglesOfEnded(this.db);
    await endLostSingles(this.db, this.#now());
    this.#tidiedAt = performance.now();
  }

  async #look(): Promise<void> {
    const { holder } = this.#parts;
    await this.#giveBack(isStale);
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

  /** @param reader undefined when the message must not be sent: its reader no longer exists, or no longer eligible */
  async #prepare(one: HeldMessage, reader: Reader | undefined, epoch: string | null): Promise<void> {
    const { uncertain, cancelled, expired } = singleStates;
    const isLate = isOver(this.#parts.retry, one.createdAt.getTime(), this.#now().getTime() - lateAfterMs);
    // Asked for before the database was restored: it may have left since.
    if (one.epoch !== epoch) return this.#end(one, uncertain, 0);
    if (!reader) return this.#end(one, cancelled, 0);
    if (isLate) return this.#end(one, expired, 0);
    const provider = this.#parts.providers.of(reader.domain);
    if (await this.#isSuspended(one, provider)) return returnSingle(this.db, one, this.#in(suspendedAgainMs));
    const perHour = this.#parts.providers.messagesPerHour(provider);
    const { given, waitMs } = await this.#parts.limits.take(providerBucket(provider), perHour, 1);
    if (given === 0) return returnSingle(this.db, one, this.#in(waitMs));
    const single = { ...one, reader, provider, readAt: performance.now() };
    this.#held.set(one.id, single);
    this.#ready.push(single);
  }

  take(): Candidate | undefined {
    if (this.#stopping) return undefined;
    const single = this.#ready.find((one) => this.#mayGo(one));
    if (!single) return undefined;
    this.#parts.providers.begin(single.provider);
    this.#ready = this.#ready.filter((one) => one !== single);
    return {
      supply: this,
      about: { idSingle: single.id },
      mail: { idSite: this.db.site.id, idProvider: single.provider },
      get isFresh() {
        return !isStale(single);
      },
      make: () => this.#make(single),
      intend: () => this.#intend(single),
      delivered: (outcome, ours) => this.#delivered(single, outcome, ours),
    };
  }

  /**
   * Whether one of our connections to its provider is free; else we are woken when one may be. What is stale waits for
   * the next look, which may be long in coming: the looks at all sites and jobs share one turn.
   */
  #mayGo(one: Single): boolean {
    return !isStale(one) && this.#parts.providers.room(one.provider, this.#wake) > 0;
  }

  /** The sender is read only while something of the site is suspended: it is one more thing that may be away. */
  async #isSuspended({ idSent }: HeldMessage, provider: number): Promise<boolean> {
    const { suspensions } = this.#parts;
    const idSite = this.db.site.id;
    if (!suspensions.isAny(idSite)) return false;
    return suspensions.has(idSite, await this.#messages.senderDomainOf(idSent), provider);
  }

  async #make(single: Single): Promise<ReadyMessage | undefined> {
    let make: (() => Promise<ReadyMessage>) | undefined;
    try {
      make = await this.#messages.makerOf(single, single.reader, this.#now());
    } catch (error) {
      this.#parts.app.log.warn({ err: error, idSingle: single.id }, 'a single message cannot be read now');
      return undefined;
    }
    if (!make) throw new Error(`Sending with idSent ${single.idSent} is no longer shown`);
    return make();
  }

  async #intend(single: Single): Promise<void> {
    const intent = { held: single, provider: single.provider };
    await this.#intents.add(intent);
    if (this.#intended.has(intent)) return;
    throw new Error(`Single message ${single.id} is no longer leased by this process`);
  }

  async #commitIntents(intents: readonly Intent[]): Promise<void> {
    const ids = await intendSingles(this.db, intents, this.#parts.holder.leaseS);
    for (const intent of intents) if (ids.has(intent.held.id)) this.#intended.add(intent);
  }

  #delivered(single: Single, outcome: DeliveryOutcome, ours: boolean): void {
    this.#parts.providers.leave(single.provider);
    const write = this.#written(() => this.#enter(single, outcome, ours)).finally(() => {
      // Given back and taken again before the answer came: then another holds its place.
      if (this.#held.get(single.id) === single) this.#held.delete(single.id);
      this.#writes.delete(write);
      this.#wake();
    });
    this.#writes.add(write);
  }

  /** Tries until the database takes it: what is not entered when the process ends is uncertain to the next one. */
  async #written(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        this.#parts.app.log.warn({ err: error }, 'what became of a single message is not entered yet');
        await sleep(writeAgainMs, undefined, { ref: false });
      }
    }
  }

  #enter(single: Single, outcome: DeliveryOutcome, ours: boolean): Promise<void> {
    const { accepted, refused, uncertain } = singleStates;
    switch (outcome.kind) {
      case 'accepted':
        return this.#end(single, accepted, outcome.code);
      case 'refused':
        return this.#end(single, refused, outcome.code, whyRefused(outcome).refusal);
      case 'unknown':
        return this.#end(single, uncertain, 0);
      case 'deferred':
        return this.#putOff(single, outcome.code);
      case 'notAttempted':
        // Its intent failed: another process has it, or the database was unavailable. The dot was not written.
        return ours ? returnSingle(this.db, single, this.#now()) : this.#putOff(single, 421);
    }
  }

  #end(held: HeldMessage, state: ReceiptState, code: number, refusal?: Ending['refusal']): Promise<void> {
    return this.#endings.add({ held, state, code, refusal });
  }

  #putOff(single: Single, code: number): Promise<void> {
    const { retry } = this.#parts;
    const lastAt = this.#now().getTime();
    const firstAt = single.createdAt.getTime();
    if (isOver(retry, firstAt, lastAt)) return this.#end(single, singleStates.expired, code);
    const next = new Date(retryAt(retry, { attempts: single.deferrals + 1, firstAt, lastAt }));
    return deferSingle(this.db, single, next, code);
  }

  /** Takes nothing new; what no connection has is released, for another process to continue at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#looking?.catch(() => undefined);
    await this.#giveBack(() => true);
  }

  /** Gives back what no connection has. */
  async #giveBack(which: (one: Single) => boolean): Promise<void> {
    const given = this.#ready.filter(which);
    this.#ready = this.#ready.filter((one) => !given.includes(one));
    for (const single of given) {
      // Before anything is written: were the database to fail, what is held yet would be held permanently.
      this.#held.delete(single.id);
      this.#unspent(single.provider);
    }
    for (const single of given) await returnSingle(this.db, single, this.#now());
  }

  /** Else messages that wait for a connection, read again and again, would use up what jobs may send. */
  #unspent(provider: number): void {
    const { limits, providers } = this.#parts;
    limits.giveBack(providerBucket(provider), providers.messagesPerHour(provider), 1);
  }

  #now(): Date {
    return this.#parts.app.clock.now();
  }

  #in(ms: number): Date {
    return new Date(this.#now().getTime() + ms);
  }
}

/** Sents whose compiled messages are kept, and for how long: a key of the sender's domain may change. */
const mostKept = 32;
const keptForMs = 30_000;

/** Whom a single message goes to. */
export type Reader = Recipient;

interface Kept {
  readonly frozen: FrozenJob;
  readonly messages: JobMessages;
}

/** What the single messages of a site are made of. Each sent is compiled once for all of its messages. */
export class SingleMessages {
  readonly #app: App;
  readonly #db: SiteDb;
  readonly #kept = new LRUCache<number, Kept>({ max: mostKept, ttl: keptForMs });

  constructor(app: App, db: SiteDb) {
    this.#app = app;
    this.#db = db;
  }

  /**
   * Reads whom messages go to, by the ids of the messages. Absent: blocked, deleted, or not eligible any more; an
   * unsubscribed reader still gets transactional messages.
   */
  async readersOf(held: readonly HeldMessage[]): Promise<ReadonlyMap<number, Reader>> {
    const readers = new Map<number, Reader>();
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
    const parts = await shownParts(
      this.#db,
      sends.flatMap(({ id, of }) => (of.hasOwnParts ? [id] : [])),
    );
    const own = parts.flatMap(({ frozen }) => frozen ?? []);
    // A message of its own may show what the others do not.
    const needs =
      own.length === 0
        ? messages.needs
        : needsOf([...own, kept.frozen].map((frozen) => compileMessage(sourceOf(frozen, idSent))));
    const ids = sends.map(({ idSubscriber }) => idSubscriber);
    return readRecipients(this.#db, ids, needs, isTransactional);
  }

  /**
   * What makes a message; undefined when its sent is no longer shown.
   * @throws Error when the database is unavailable
   */
  async makerOf(
    { id, idSent, createdAt, of }: HeldMessage,
    reader: Reader,
    at: Date,
  ): Promise<(() => Promise<ReadyMessage>) | undefined> {
    const kept = await this.#keptOf(idSent);
    if (!kept || isExpired(kept.frozen.source, at)) return undefined;
    const own = await this.#ownJob(kept.frozen, { id, idSent, createdAt, of });
    const messages = own ? await JobMessages.open(this.#app, this.#db.site.id, own) : kept.messages;
    return () => messages.make(idSent, reader);
  }

  /** The job that a message of its own is made of; undefined for one like all others of its sent. */
  async #ownJob(
    frozen: FrozenJob,
    { id, idSent, createdAt, of }: Pick<HeldMessage, 'id' | 'idSent' | 'createdAt' | 'of'>,
  ): Promise<FrozenJob | undefined> {
    if (of.kind === 'forward') return forwardedJob(frozen, idSent, { ...of, at: createdAt });
    const own = of.hasOwnParts ? await ownPartsOf(this.#db, id) : undefined;
    if (!own) return undefined;
    const { source, ...job } = own.frozen ?? frozen;
    return { ...job, source: { ...source, attachments: own.attachments } };
  }

  /** The domain of the sender of a sent; '' when nothing is kept of it. */
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

const friendOf = ({ id, idSubscriber }: HeldMessage, { friend: email }: HeldForward): Reader => {
  return { id: idSubscriber, idForward: id, email, domain: domainOf(email), fields: new Map() };
};

const ofSend = (id: number, createdAt: Date, { data, clickTracker }: HeldSend) => {
  return { idSingle: id, date: createdAt.toISOString(), data: new Map(Object.entries(data)), clickTracker };
};
