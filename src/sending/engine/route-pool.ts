import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { relaysOf } from '../../accounts/route-store.ts';
import type { WebhookProvider } from '../../accounts/route-webhook.ts';
import type { SmtpTimeouts } from '../../mail/outcome.ts';
import { clientNameOf, serverOf } from '../../mail/relay-server.ts';
import { SmtpConnection } from '../../mail/smtp-connection.ts';
import { SmtpError } from '../../mail/smtp-handshake.ts';
import { SmtpProtocolError } from '../../mail/smtp-reply.ts';
import type { SmtpServer } from '../../mail/smtp-server.ts';
import type { App } from '../../platform/app.ts';
import { mailboxLogin } from '../../platform/mailbox-login.ts';
import { keptIn } from '../../platform/remembered.ts';
import { noteRelayStates } from '../sending-health.ts';
import type { Delivery, EngineParts, Supply } from './delivery.ts';
import { ConnectionPermits, Permit } from './permits.ts';

/** SMTP codes of a relay that requires or rejects authentication (RFC 4954). */
const signInCodes: readonly number[] = [530, 534, 535, 538];

/**
 * Returns why no connection to a relay could be opened, for its users. It contains only the code of the relay's reply,
 * because the text could repeat what was sent, for example a password.
 */
export function troubleOf({ host, port }: SmtpServer, error: Error): string {
  const relay = `${host}:${port}`;
  if (error instanceof SmtpError)
    return signInCodes.includes(error.code)
      ? `${relay} does not take the user name and the password (${error.code})`
      : `${relay} takes no connection now (${error.code})`;
  if (error instanceof SmtpProtocolError) return `${relay} cannot be used: ${error.message.split(':')[0]}`;
  return `${relay} cannot be reached: ${error.message.slice(0, 200)}`;
}

/** The key of the built-in mailbox, the only route that gets messages to sample people. */
export const mailboxKey = 'mailbox';

/** A relay and its limits. */
export interface PoolRoute {
  /** Name of the route in every process, for example `route:7`. */
  readonly key: string;
  /** The reachable routes of the lowest position are used. */
  readonly position: number;
  readonly server: SmtpServer;
  readonly maxConnections: number;
  /** 0 means no limit. */
  readonly messagesPerHour: number;
  /** Provider whose reports identify the messages by a header; null means none. */
  readonly webhook: WebhookProvider | null;
}

/** Milliseconds after which a connection without messages is closed. */
const idleMs = 2_000;
const maxPauseMs = 60_000;
/** A relay that has not greeted us for more than this number of milliseconds counts as unreachable. */
const silentAfterMs = 20_000;

interface Worker {
  connection: SmtpConnection | undefined;
  /** Source of its last message. */
  last: Supply | undefined;
  /** Number of messages in a row during which the relay dropped the connection. */
  drops: number;
}

/**
 * reached: the relay accepted our last connection, or one is open. unknown: none was requested yet, or the relay has
 * not replied yet.
 */
export type RelayState = 'reached' | 'unreachable' | 'unknown';

/**
 * The connections to one relay. Each one sends one message after the other, from the supplies in turn. Their number
 * follows the number of messages that are ready, up to the route's limit over all processes.
 */
export class RoutePool {
  #route: PoolRoute;
  readonly #parts: EngineParts;
  /** Supplies, and for each whether it uses this relay now: a relay on standby takes nothing from it. */
  readonly #supplies = new Map<Supply, () => boolean>();
  #order: Supply[] = [];
  /** Permits of the connections; one is in use for each worker. */
  readonly permits: ConnectionPermits;
  #idle: (() => void)[] = [];
  readonly #open = new Set<SmtpConnection>();
  #closing = false;
  #failures = 0;
  /** Time before which an unreachable relay is not attempted again (performance.now()). */
  #pausedUntil = 0;
  /** Connections that are being opened, with the time of their start (performance.now()). */
  readonly #opening = new Set<{ readonly since: number }>();
  #wasReached = false;
  #trouble = '';

  constructor(parts: EngineParts, route: PoolRoute) {
    this.#parts = parts;
    this.#route = route;
    const { app, holder } = parts;
    this.permits = new ConnectionPermits(app.control, holder.owner, route.key, () => this.#needsPermits);
  }

  /** Changes the route from the next connection on. It is attempted immediately, even if it was unreachable before. */
  change(route: PoolRoute): void {
    if (isDeepStrictEqual(route, this.#route)) return;
    this.#route = route;
    this.#pausedUntil = 0;
    this.wake();
  }

  /** Sends messages of the supply whenever `isUsed` returns true. */
  add(supply: Supply, isUsed: () => boolean): void {
    this.#supplies.set(supply, isUsed);
    this.#order = [...this.#supplies.keys()];
    this.wake();
  }

  remove(supply: Supply): void {
    this.#supplies.delete(supply);
    this.#order = [...this.#supplies.keys()];
  }

  get position(): number {
    return this.#route.position;
  }

  /** `host:port`, for the metrics. */
  get relay(): string {
    const { host, port } = this.#route.server;
    return `${host}:${port}`;
  }

  get state(): RelayState {
    if (this.#open.size > 0) return 'reached';
    const longAgo = performance.now() - silentAfterMs;
    if (this.#failures > 0 || [...this.#opening].some(({ since }) => since < longAgo)) return 'unreachable';
    return this.#wasReached ? 'reached' : 'unknown';
  }

  /** Why the relay is unreachable, without a secret. */
  get trouble(): string {
    return this.#failures > 0 ? this.#trouble : `${this.relay} does not answer`;
  }

  /** Whether nothing uses the pool and nothing is held, so that it can be dropped. */
  get isDone(): boolean {
    return this.#supplies.size === 0 && this.permits.inUse === 0 && !this.permits.isAlive;
  }

  #readyOf(supply: Supply): number {
    return this.#supplies.get(supply)?.() ? supply.readyCount : 0;
  }

  /** A pool on standby wants no permits: only a process that cannot reach the first relays uses it. */
  get #needsPermits(): boolean {
    return !this.#closing && [...this.#supplies.values()].some((isUsed) => isUsed());
  }

  /** Renews the permits while there are messages or workers, otherwise releases them. */
  async renewPermits(): Promise<void> {
    await this.permits.renew(this.#route.maxConnections);
    this.wake();
  }

  /** Releases permits as soon as their connections have ended, if other processes wait for their share. */
  #yieldPermits(): void {
    if (this.#closing || !this.permits.hasExcess) return;
    this.renewPermits().catch((error: Error) =>
      this.#parts.app.log.warn(
        { err: error, route: this.#route.key },
        "permits of a route's connections not released",
      ),
    );
  }

  /** Starts as many connections as messages are ready. */
  wake(): void {
    // Without a permit a connection would end immediately and call this again, and nothing would use a provider's.
    if (this.#closing || this.permits.usable === 0 || performance.now() < this.#pausedUntil) return;
    let ready = 0;
    for (const supply of this.#order) ready += this.#readyOf(supply);
    for (; ready > 0 && this.#idle.length > 0; ready -= 1) this.#idle.pop()!();
    // A relay that could not be reached is attempted by one connection first.
    const most = this.#failures > 0 ? 1 : this.permits.usable;
    for (; ready > 0 && this.permits.inUse < most; ready -= 1) {
      this.permits.acquire();
      void this.#work();
    }
  }

  /** Begins no new messages; those in flight are finished. */
  close(): void {
    this.#closing = true;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /** Drops the connections that are left after `close`; messages whose final dot was sent become uncertain. */
  destroy(): void {
    for (const connection of this.#open) connection.destroy('The service stops');
  }

  async #work(): Promise<void> {
    const worker: Worker = { connection: undefined, last: undefined, drops: 0 };
    try {
      while (!this.#closing && this.permits.inUse <= this.permits.usable && this.#mayContinue(worker)) {
        const isReady = this.#order.some((supply) => this.#readyOf(supply) > 0);
        if (isReady) await this.#step(worker);
        else if (!(await this.#waitForMessages())) break;
      }
    } catch (error) {
      this.#parts.app.log.error({ err: error, route: this.#route.key }, 'connection ended by a defect');
    } finally {
      this.#forget(worker.connection);
      this.permits.release();
      this.#yieldPermits();
      this.wake();
    }
  }

  /** A relay that accepts no more connections, perhaps because it has enough of ours, does not end the open ones. */
  #mayContinue(worker: Worker): boolean {
    return worker.connection?.isUsable === true || performance.now() >= this.#pausedUntil;
  }

  /** Opens the connection, or hands one message over on it. */
  async #step(worker: Worker): Promise<void> {
    if (!worker.connection?.isUsable) {
      this.#forget(worker.connection);
      // A relay that drops connections is given time, by this connection alone.
      if (worker.drops > 0) await sleep(Math.min(maxPauseMs, 100 * 2 ** worker.drops));
      worker.connection = await this.#connect();
      return;
    }
    const delivery = await this.#next();
    if (!delivery) return;
    // The intent in another site's log must not be committed before the outcome of the last message: a crash would
    // then leave two open intents of one connection.
    if (worker.last && worker.last.commit !== delivery.supply.commit) await worker.last.commit.idle();
    // If the database hung, that took long.
    if (!delivery.isFresh) return delivery.release();
    if (delivery.isToSample && this.#route.key !== mailboxKey) return delivery.cancel();
    worker.last = delivery.supply;
    const isGood = await delivery.handOver(worker.connection, this.#route.webhook);
    worker.drops = isGood ? 0 : worker.drops + 1;
  }

  /** Returns false if no message is ready for a while. */
  async #waitForMessages(): Promise<boolean> {
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

  /** Returns a message of the next supply in turn, if the route's messages per hour allow one. */
  async #next(): Promise<Delivery | undefined> {
    const { key, messagesPerHour } = this.#route;
    const permit = new Permit(this.#parts.hourly);
    const waitMs = await permit.acquire({ key, perHour: messagesPerHour }).catch((error: Error) => {
      this.#parts.app.log.warn(
        { err: error, route: key },
        "permit of a route's messages not acquired; retrying",
      );
      return 500;
    });
    if (waitMs > 0) {
      // The connection stays open: otherwise new ones would be opened for as long as the database is unavailable.
      await sleep(Math.min(waitMs, 500));
      return undefined;
    }
    for (let left = this.#order.length; left > 0; left -= 1) {
      const supply = this.#order.shift()!;
      this.#order.push(supply);
      const delivery = this.#closing || !this.#supplies.get(supply)?.() ? undefined : supply.take();
      if (!delivery) continue;
      delivery.permit.include(permit);
      return delivery;
    }
    permit.release();
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
      this.#parts.app.log.warn({ err: error, route: this.#route.key, pause }, 'relay could not be reached');
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
}

/** The routes by which a site's mail can be sent. */
export interface SiteRoutes {
  /** The site's own relays in order of position, or the configured one. */
  readonly relays: readonly PoolRoute[];
  /** The built-in mailbox, shared by all sites without a relay. */
  readonly mailbox: PoolRoute;
}

/** @param mailboxPort the port of our own SMTP listener. */
export async function siteRoutesOf(
  app: App,
  idSite: number,
  mailboxPort: number,
  timeouts: SmtpTimeouts,
): Promise<SiteRoutes> {
  const relays = (await relaysOf(app, idSite)).map((route) => ({
    key: route.id === 0 ? 'default' : `route:${route.id}`,
    position: route.position,
    server: { ...serverOf(app, route), timeouts },
    maxConnections: route.maxConnections,
    messagesPerHour: route.messagesPerHour,
    webhook: route.webhook,
  }));
  const mailbox = {
    key: mailboxKey,
    position: 1,
    server: {
      host: '127.0.0.1',
      port: mailboxPort,
      tls: 'none',
      auth: mailboxLogin(app.secrets),
      clientName: clientNameOf(app),
      timeouts,
    },
    maxConnections: 10,
    messagesPerHour: 0,
    webhook: null,
  } as const;
  return { relays, mailbox };
}

/**
 * The relays of one running job, which can change while it runs. Relays of the lowest position share the load; those of
 * the next position are on standby, and are used if none of the first can be reached.
 */
export class JobRelays {
  /** Whether the job uses relays; if not, it began in the built-in mailbox, and ends there. */
  readonly isByRelay: boolean;
  #pools: readonly RoutePool[] = [];

  constructor(isByRelay: boolean) {
    this.isByRelay = isByRelay;
  }

  /** Sets the pools that the job uses from now on; messages in flight on others are finished there. */
  use(job: Supply, pools: readonly RoutePool[]): void {
    const gone = this.#pools.filter((pool) => !pools.includes(pool));
    this.#pools = pools;
    for (const pool of gone) pool.remove(job);
    for (const pool of pools) pool.add(job, () => this.#isUsed(pool));
  }

  #isUsed(pool: RoutePool): boolean {
    return this.#pools.every((other) => other.position >= pool.position || other.state === 'unreachable');
  }

  /** Whether this process has a connection to send on. */
  get canSend(): boolean {
    return this.#pools.some((pool) => pool.permits.usable > 0 && this.#isUsed(pool));
  }

  /** Whether a relay accepted our last connection. */
  get areReached(): boolean {
    return this.#pools.some((pool) => pool.state === 'reached');
  }

  /** Why no relay can be used, without a secret; undefined if one can be used, or if that is not known yet. */
  get trouble(): string | undefined {
    if (this.#pools.length === 0) return 'no relay is left';
    if (this.#pools.some((pool) => pool.state !== 'unreachable')) return undefined;
    return this.#pools.map((pool) => pool.trouble).join('; ');
  }

  async renewPermits(): Promise<void> {
    for (const pool of this.#pools) await pool.renewPermits();
  }

  wake(): void {
    for (const pool of this.#pools) pool.wake();
  }
}

/** Milliseconds between records of the relays' states. */
const noteEveryMs = 10_000;

/** The pools of one engine, one for each relay in use; sites can share one. */
export class RoutePools {
  readonly #parts: EngineParts;
  readonly #byKey = new Map<string, RoutePool>();
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get all(): readonly RoutePool[] {
    return [...this.#byKey.values()];
  }

  /** Returns the pools of a job's relays, and updates their routes. */
  of({ relays, mailbox }: SiteRoutes, { isByRelay }: JobRelays): RoutePool[] {
    return (isByRelay ? relays : [mailbox]).map((route) => {
      const pool = keptIn(this.#byKey, route.key, () => new RoutePool(this.#parts, route));
      pool.change(route);
      return pool;
    });
  }

  wake(): void {
    for (const pool of this.all) pool.wake();
  }

  /**
   * Renews the permits of connections, and drops pools that are no longer used.
   * @param which `unsettled`: only permits that move between processes
   */
  async renewPermits(which: 'all' | 'unsettled'): Promise<void> {
    this.#noteStates();
    for (const [key, pool] of this.#byKey) if (pool.isDone) this.#byKey.delete(key);
    // Renewals of a database that hangs must not queue up.
    const due = this.all.filter(
      (pool) => !pool.permits.isRenewing && (which === 'all' || !pool.permits.isSettled),
    );
    await Promise.all(due.map((pool) => pool.renewPermits()));
  }

  /** Stores the relays' states for the metrics; in the background, since nothing waits for it. */
  #noteStates(): void {
    if (performance.now() - this.#notedAt < noteEveryMs) return;
    const states = this.all.flatMap(({ relay, state }) =>
      state === 'unknown' ? [] : [{ relay, isUp: state === 'reached' }],
    );
    if (states.length === 0) return;
    this.#notedAt = performance.now();
    const { app, holder } = this.#parts;
    noteRelayStates(app.control, holder.owner, states).catch((err) =>
      app.log.warn({ err }, 'relay states not stored'),
    );
  }
}
