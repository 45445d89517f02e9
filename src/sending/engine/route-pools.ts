import type { EngineParts } from './engine-parts.ts';
import type { JobRelays } from './job-relays.ts';
import { RoutePool } from './route-pool.ts';
import type { SiteRoutes } from './routes.ts';

/** The pools of one engine, one for each relay that anything at work uses; sites can share one. */
export class RoutePools {
  readonly #parts: EngineParts;
  readonly #byKey = new Map<string, RoutePool>();

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
  async renewSlots(which: 'all' | 'unsettled'): Promise<void> {
    for (const [key, pool] of this.#byKey) if (pool.isDone) this.#byKey.delete(key);
    // Renewals of a database that hangs must not queue up.
    const due = this.all.filter((pool) => !pool.isRenewing && (which === 'all' || pool.isUnsettled));
    await Promise.all(due.map((pool) => pool.renewSlots()));
  }
}
