import { relaysOf } from '../../accounts/route-store.ts';
import type { SmtpTimeouts } from '../../mail/outcome.ts';
import { clientNameOf, serverOf } from '../../mail/relay-server.ts';
import type { App } from '../../platform/app.ts';
import { mailboxLogin } from '../../platform/mailbox-login.ts';
import { keptIn } from '../../platform/remembered.ts';
import { noteRelayStates } from '../sending-health.ts';
import type { EngineParts, Supply } from './delivery.ts';
import { mailboxKey, type PoolRoute, RoutePool } from './route-pool.ts';

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
