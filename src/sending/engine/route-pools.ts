import { relaysOf } from '../../accounts/route-store.ts';
import type { SmtpTimeouts } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import { mailboxLogin } from '../../platform/mailbox-login.ts';
import { noteRelayStates } from '../sending-health.ts';
import type { Supply } from './delivery.ts';
import type { EngineParts } from './engine-parts.ts';
import { type PoolRoute, RoutePool } from './route-pool.ts';

/** Where a site's mail can leave. */
export interface SiteRoutes {
  /** Its own relays, in order of position, else the configured one. */
  readonly relays: readonly PoolRoute[];
  /** The built-in mailbox, which all sites share: for mail of a site without a relay. */
  readonly mailbox: PoolRoute;
}

/** @param mailboxPort the port of our own SMTP listener. */
export async function siteRoutesOf(
  app: App,
  idSite: number,
  mailboxPort: number,
  timeouts: SmtpTimeouts,
): Promise<SiteRoutes> {
  const clientName = new URL(app.publicUrl).hostname;
  const relays = (await relaysOf(app, idSite)).map((route) => ({
    key: route.id === 0 ? 'default' : `route:${route.id}`,
    position: route.position,
    server: {
      host: route.host,
      port: route.port,
      tls: route.tls,
      auth: route.username === null ? undefined : { user: route.username, password: route.password ?? '' },
      clientName,
      timeouts,
    },
    maxConnections: route.maxConnections,
    messagesPerHour: route.messagesPerHour,
    webhook: route.webhook,
  }));
  return { relays, mailbox: mailboxRoute(app, { port: mailboxPort, clientName, timeouts }) };
}

function mailboxRoute(
  app: App,
  of: { readonly port: number; readonly clientName: string; readonly timeouts: SmtpTimeouts },
): PoolRoute {
  return {
    key: 'mailbox',
    position: 1,
    server: { host: '127.0.0.1', tls: 'none', auth: mailboxLogin(app.secrets), ...of },
    maxConnections: 10,
    messagesPerHour: 0,
    webhook: null,
  };
}

/**
 * The relays that the messages of one job at work may leave through, which change while it runs: those of the lowest
 * position share the load, those of the next one stand by for when none of them can be reached.
 */
export class JobRelays {
  /** False: the job began in the built-in mailbox, and ends there. True: it never goes there. */
  readonly isByRelay: boolean;
  #pools: readonly RoutePool[] = [];

  constructor(isByRelay: boolean) {
    this.isByRelay = isByRelay;
  }

  /** From now on the job uses these; messages that others have running are finished there. */
  use(job: Supply, pools: readonly RoutePool[]): void {
    const gone = this.#pools.filter((pool) => !pools.includes(pool));
    this.#pools = pools;
    for (const pool of gone) pool.remove(job);
    for (const pool of pools) pool.add(job, () => this.#isTurnOf(pool));
  }

  #isTurnOf(pool: RoutePool): boolean {
    return this.#pools.every((other) => other.position >= pool.position || other.state === 'unreachable');
  }

  /** Whether this process has a connection to send on. */
  get canSend(): boolean {
    return this.#pools.some((pool) => pool.permits > 0 && this.#isTurnOf(pool));
  }

  /** Whether a relay took our connection when it was last asked. */
  get areReached(): boolean {
    return this.#pools.some((pool) => pool.state === 'reached');
  }

  /** Why none of them can be used, without a secret; undefined when one can, or when that is not known yet. */
  get trouble(): string | undefined {
    if (this.#pools.length === 0) return 'there is no relay any more';
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

/** How often the states of relays are noted, in milliseconds. */
const noteEveryMs = 10_000;

/** The pools of one engine, one for each relay that anything at work uses; sites can share one. */
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

  /** Those through which a job may send now, as their routes are now. */
  of({ relays, mailbox }: SiteRoutes, { isByRelay }: JobRelays): RoutePool[] {
    return (isByRelay ? relays : [mailbox]).map((route) => {
      const pool = this.#byKey.get(route.key) ?? new RoutePool(this.#parts, route);
      pool.change(route);
      this.#byKey.set(route.key, pool);
      return pool;
    });
  }

  wake(): void {
    for (const pool of this.all) pool.wake();
  }

  /**
   * Renews the connection slots and forgets pools that nothing uses any more.
   * @param which `unsettled`: only slots that are on the move between processes.
   */
  async renewPermits(which: 'all' | 'unsettled'): Promise<void> {
    this.#noteStates();
    for (const [key, pool] of this.#byKey) if (pool.isDone) this.#byKey.delete(key);
    // Renewals of a database that hangs must not queue up.
    const due = this.all.filter((pool) => !pool.isRenewing && (which === 'all' || pool.isUnsettled));
    await Promise.all(due.map((pool) => pool.renewPermits()));
  }

  /** Notes for the metrics how the relays are; in the background, since nothing waits for it. */
  #noteStates(): void {
    if (performance.now() - this.#notedAt < noteEveryMs) return;
    const states = this.all.flatMap(({ relay, state }) =>
      state === 'unknown' ? [] : [{ relay, isUp: state === 'reached' }],
    );
    if (states.length === 0) return;
    this.#notedAt = performance.now();
    const { app, holder } = this.#parts;
    noteRelayStates(app.control, holder.owner, states).catch((err) =>
      app.log.warn({ err }, 'relay states not noted'),
    );
  }
}
