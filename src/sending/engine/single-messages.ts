import { LRUCache } from 'lru-cache';
import { compileMessage } from '../../mail/compile-message.ts';
import { isExpired } from '../../mail/message-source.ts';
import type { Recipient } from '../../mail/recipient.ts';
import { needsOf } from '../../mail/render-for.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import { forwardedJob } from '../forward.ts';
import { type FrozenJob, sourceOf } from '../frozen-job.ts';
import { readRecipients } from '../recipient-store.ts';
import { frozenJobOf } from '../sent-store.ts';
import type { HeldForward, HeldMessage, HeldSend } from '../single-message.ts';
import { ownPartsOf, shownParts } from '../single-send-store.ts';
import { JobMessages, type ReadyMessage } from './job-messages.ts';

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
