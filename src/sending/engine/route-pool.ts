import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { passThroughHeader } from '../../accounts/pass-through.ts';
import type { WebhookProvider } from '../../accounts/route-webhook.ts';
import type { DeliveryOutcome } from '../../mail/outcome.ts';
import { SmtpConnection } from '../../mail/smtp-connection.ts';
import { SmtpError } from '../../mail/smtp-handshake.ts';
import { SmtpProtocolError } from '../../mail/smtp-reply.ts';
import type { SmtpServer } from '../../mail/smtp-server.ts';
import type { ReadyMessage } from '../job-messages.ts';
import { countDelivery } from '../sending-health.ts';
import type { Candidate, Supply } from './candidate.ts';
import { SharedSlots } from './connection-permits.ts';
import type { EngineParts } from './engine-parts.ts';

/** A relay that wants to know who we are, or does not believe it (RFC 4954). */
const signInCodes: readonly number[] = [530, 534, 535, 538];

/**
 * Why no connection to a relay came about, for users to read. Of the relay's own words only the code is told: they
 * could repeat what it was sent, a password for instance.
 */
export function troubleOf(server: SmtpServer, error: Error): string {
  return `${server.host}:${server.port} ${reasonOf(error)}`;
}

/** What is told of a relay that has not answered for a while. */
export const troubleOfSilence = (server: SmtpServer): string =>
  `${server.host}:${server.port} does not answer`;

function reasonOf(error: Error): string {
  if (error instanceof SmtpError) {
    return signInCodes.includes(error.code)
      ? `does not take the user name and the password (${error.code})`
      : `takes no connection now (${error.code})`;
  }
  if (error instanceof SmtpProtocolError) return `cannot be used: ${error.message.split(':')[0]}`;
  return `cannot be reached: ${error.message.slice(0, 200)}`;
}

/** A relay and what may be asked of it. */
export interface PoolRoute {
  /** The same in every process, e.g. `route:7`. */
  readonly key: string;
  /** Those of the lowest position that can be reached are used. */
  readonly position: number;
  readonly server: SmtpServer;
  readonly maxConnections: number;
  /** 0: no limit. */
  readonly messagesPerHour: number;
  /** Provider whose reports on the messages are to name them; null: none. */
  readonly webhook: WebhookProvider | null;
}

/** A connection without work is closed after this. */
const idleMs = 2_000;
const maxPauseMs = 60_000;
/** A relay that has not greeted us for so long counts as away. */
const silentAfterMs = 20_000;

/** The code of a refusal of our own: the recipient's message could not be made (RFC 3463 5.6.0 in spirit). */
const notMade = {
  kind: 'refused',
  of: 'message',
  code: 554,
  enhanced: '',
  text: 'The message could not be built',
} as const;
/** The code of a deferral of our own: a local error in processing (RFC 5321 4.2.2). */
const notReadable = { kind: 'deferred', code: 451, enhanced: '', text: '' } as const;
const notBegun = { kind: 'notAttempted', text: '' } as const;

/** One connection's state. */
interface Worker {
  connection: SmtpConnection | undefined;
  /** Where its last message came from. */
  last: Supply | undefined;
  /** Messages in a row that the relay aborted. */
  breaks: number;
}

/** Reached: it took our last connection, or we have one. Unknown: none was requested yet, or none is answered yet. */
export type RelayState = 'reached' | 'away' | 'unknown';

/**
 * The connections to one relay. Each takes one message after the other, from the jobs in turn; how many there are
 * depends on how much is ready, up to the route's limit over all processes.
 */
export class RoutePool {
  #route: PoolRoute;
  readonly #parts: EngineParts;
  /** Each with the question whether it is this relay's turn: one that stands by takes nothing. */
  readonly #jobs = new Map<Supply, () => boolean>();
  #order: Supply[] = [];
  readonly #slots: SharedSlots;
  #renewal: Promise<void> = Promise.resolve();
  #renewals = 0;
  #workers = 0;
  #idle: (() => void)[] = [];
  readonly #open = new Set<SmtpConnection>();
  #closing = false;
  #failures = 0;
  /** The relay cannot be reached: nothing is attempted before this (performance.now()). */
  #pausedUntil = 0;
  /** When the connections that are being opened were begun (performance.now()). */
  readonly #opening = new Set<{ readonly since: number }>();
  #wasReached = false;
  #trouble = '';

  constructor(parts: EngineParts, route: PoolRoute) {
    this.#parts = parts;
    this.#route = route;
    this.#slots = new SharedSlots(parts.app.control, parts.holder.owner, route.key, () => this.#workers);
  }

  /** From the next connection on. A route that was mended is attempted at once, however long it was unavailable. */
  change(route: PoolRoute): void {
    if (isDeepStrictEqual(route, this.#route)) return;
    this.#route = route;
    this.#pausedUntil = 0;
    this.wake();
  }

  /** Takes messages of the job as long as `isTurn` says so. */
  add(job: Supply, isTurn: () => boolean): void {
    this.#jobs.set(job, isTurn);
    this.#order = [...this.#jobs.keys()];
    this.wake();
  }

  remove(job: Supply): void {
    this.#jobs.delete(job);
    this.#order = [...this.#jobs.keys()];
  }

  get position(): number {
    return this.#route.position;
  }

  /** `host:port`, for the metrics. */
  get relay(): string {
    const { host, port } = this.#route.server;
    return `${host}:${port}`;
  }

  get standing(): RelayState {
    if (this.#open.size > 0) return 'reached';
    const longAgo = performance.now() - silentAfterMs;
    if (this.#failures > 0 || [...this.#opening].some(({ since }) => since < longAgo)) return 'away';
    return this.#wasReached ? 'reached' : 'unknown';
  }

  /** Why it is unavailable, without a secret. */
  get trouble(): string {
    return this.#failures > 0 ? this.#trouble : troubleOfSilence(this.#route.server);
  }

  /** Whether nothing uses it any more and nothing is held: it can be forgotten. */
  get isDone(): boolean {
    return this.#jobs.size === 0 && this.#workers === 0 && !this.#slots.isAlive;
  }

  #readyOf(job: Supply): number {
    return this.#jobs.get(job)?.() ? job.readyCount : 0;
  }

  /** Connections that this process may have now. */
  get slots(): number {
    return this.#slots.usable;
  }

  get workers(): number {
    return this.#workers;
  }

  /** One that stands by holds none: only a process that finds the first relays away, maybe not this one, uses it. */
  get #needsSlots(): boolean {
    return !this.#closing && [...this.#jobs.values()].some((isTurn) => isTurn());
  }

  /** Whether a renewal of the slots is running. */
  get isRenewing(): boolean {
    return this.#renewals > 0;
  }

  /** Whether slots are on the move between processes. */
  get isUnsettled(): boolean {
    return !this.#slots.isSettled;
  }

  /**
   * Renews the connection slots while there is work or a message running, and gives them back when there is neither.
   * One call after the other: what one takes must not be released by an earlier one, because another process would
   * then take it as well.
   */
  renewSlots(): Promise<void> {
    this.#renewals += 1;
    this.#renewal = this.#renewal
      .catch(() => undefined)
      .then(() => this.#renewOnce())
      .finally(() => {
        this.#renewals -= 1;
      });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const wants = this.#needsSlots;
    if (wants || this.#workers > 0) {
      await this.#slots.renew(this.#route.maxConnections, wants);
      this.wake();
    } else if (this.#slots.isAlive) await this.#slots.giveBack();
  }

  /** Gives slots back as soon as their connections have ended, when other processes wait for their share. */
  #yieldSlots(): void {
    if (this.#closing || !this.#slots.hasExcess) return;
    this.renewSlots().catch((error: Error) =>
      this.#parts.app.log.warn({ err: error, route: this.#route.key }, 'connection slots not given back'),
    );
  }

  /** Sets connections to work as far as something is ready. */
  wake(): void {
    // Without a slot a connection would end at once and come here again; nor is a provider requested one in vain.
    if (this.#closing || this.slots === 0 || performance.now() < this.#pausedUntil) return;
    let ready = 0;
    for (const job of this.#order) ready += this.#readyOf(job);
    for (; ready > 0 && this.#idle.length > 0; ready -= 1) this.#idle.pop()!();
    // A relay that could not be reached is attempted by one connection first.
    const most = this.#failures > 0 ? 1 : this.slots;
    for (; ready > 0 && this.#workers < most; ready -= 1) {
      this.#workers += 1;
      void this.#work();
    }
  }

  /** No new messages; those running are finished. */
  close(): void {
    this.#closing = true;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Breaks off what is left after `close`; messages whose dot is out become uncertain. */
  destroy(): void {
    for (const connection of this.#open) connection.destroy('The service stops');
  }

  async #work(): Promise<void> {
    const worker: Worker = { connection: undefined, last: undefined, breaks: 0 };
    try {
      while (!this.#closing && this.#workers <= this.slots && this.#mayGoOn(worker)) {
        const isReady = this.#order.some((job) => this.#readyOf(job) > 0);
        if (isReady) await this.#step(worker);
        else if (!(await this.#waitForWork())) break;
      }
    } catch (error) {
      this.#parts.app.log.error({ err: error, route: this.#route.key }, 'a connection ended by a defect');
    } finally {
      this.#forget(worker.connection);
      this.#workers -= 1;
      this.#yieldSlots();
      this.wake();
    }
  }

  /** A relay that takes no more connections, for it has enough of ours maybe, does not end those that it took. */
  #mayGoOn(worker: Worker): boolean {
    return worker.connection?.isUsable === true || performance.now() >= this.#pausedUntil;
  }

  /** Opens the connection, or hands one message over on it. */
  async #step(worker: Worker): Promise<void> {
    if (!worker.connection?.isUsable) {
      this.#forget(worker.connection);
      // A relay that hangs up is given time, by this connection alone.
      if (worker.breaks > 0) await sleep(Math.min(maxPauseMs, 100 * 2 ** worker.breaks));
      worker.connection = await this.#connect();
      return;
    }
    const candidate = await this.#next();
    if (!candidate) return;
    // An intent of this message in another site's log must not overtake the outcome of the last one: else a crash
    // would find two open intents of one connection.
    if (worker.last && worker.last.commit !== candidate.supply.commit) await worker.last.commit.idle();
    // Where a database hangs that took long.
    if (!candidate.isFresh) return candidate.delivered(notBegun, true);
    worker.last = candidate.supply;
    const isGood = await this.#handOver(worker.connection, candidate);
    worker.breaks = isGood ? 0 : worker.breaks + 1;
  }

  /** False when nothing came for a while. */
  async #waitForWork(): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#idle = this.#idle.filter((one) => one !== wake);
        resolve(false);
      }, idleMs);
      this.#idle.push(wake);
    });
  }

  /** A candidate of the next job in turn, when the route's speed allows one. */
  async #next(): Promise<Candidate | undefined> {
    const { key, messagesPerHour } = this.#route;
    if (messagesPerHour > 0) {
      // The connection stays: else one after the other would be opened for as long as the database is unavailable.
      const { given, waitMs } = await this.#parts.limits.take(key, messagesPerHour, 1).catch((error) => {
        this.#parts.app.log.warn({ err: error, route: key }, 'the limit of a route cannot be asked for');
        return { given: 0, waitMs: 500 };
      });
      if (given === 0) {
        await sleep(Math.min(waitMs, 500));
        return undefined;
      }
    }
    for (let tries = this.#order.length; tries > 0; tries -= 1) {
      const job = this.#order.shift()!;
      this.#order.push(job);
      const candidate = this.#closing || !this.#jobs.get(job)?.() ? undefined : job.take();
      if (candidate) return candidate;
    }
    this.#parts.limits.giveBack(key, messagesPerHour, 1);
    return undefined;
  }

  async #connect(): Promise<SmtpConnection | undefined> {
    const { server } = this.#route;
    const opening = { since: performance.now() };
    this.#opening.add(opening);
    try {
      const connection = await SmtpConnection.open(server);
      this.#open.add(connection);
      this.#wasReached = true;
      if (this.#failures > 0) {
        this.#failures = 0;
        this.wake();
      }
      return connection;
    } catch (error) {
      // Several connections that fail together are one failure.
      if (performance.now() < this.#pausedUntil) return undefined;
      this.#failures += 1;
      this.#trouble = troubleOf(server, error as Error);
      const pause = Math.min(maxPauseMs, 250 * 2 ** this.#failures);
      this.#pausedUntil = performance.now() + pause;
      this.#parts.app.log.warn({ err: error, route: this.#route.key, pause }, 'the relay cannot be reached');
      return undefined;
    } finally {
      this.#opening.delete(opening);
    }
  }

  #forget(connection: SmtpConnection | undefined): void {
    if (!connection) return;
    this.#open.delete(connection);
    connection.close();
  }

  /** Makes the message and hands it over. False when the connection broke by the relay's doing. */
  async #handOver(connection: SmtpConnection, candidate: Candidate): Promise<boolean> {
    let message: ReadyMessage | undefined;
    try {
      message = await candidate.make();
    } catch (error) {
      this.#parts.app.log.warn({ err: error, ...candidate.about }, 'a message cannot be made');
      this.#enter(candidate, notMade, true);
      return true;
    }
    if (!message) {
      candidate.delivered(notReadable, true);
      return true;
    }
    // The commit of the intent comes after the body, not beside it: a relay that hangs up on the body is known to have
    // done so when the commit returns, before the final dot makes the message uncertain.
    let intentRefused = false;
    const { webhook } = this.#route;
    const { envelope } = message;
    const marked = webhook ? [passThroughHeader(webhook, envelope.from)] : [];
    const pieces = [...marked, ...message.pieces];
    const outcome: DeliveryOutcome = await connection.deliver(envelope, pieces, async () => {
      try {
        await candidate.intend();
      } catch (error) {
        intentRefused = true;
        throw error;
      }
    });
    this.#enter(candidate, outcome, intentRefused);
    return intentRefused || (outcome.kind !== 'notAttempted' && outcome.kind !== 'unknown');
  }

  #enter(candidate: Candidate, outcome: DeliveryOutcome, ours: boolean): void {
    countDelivery(this.#parts.app, candidate.mail, outcome);
    candidate.delivered(outcome, ours);
  }
}
