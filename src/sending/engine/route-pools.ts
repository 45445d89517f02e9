import { noteRelayStates } from '../relay-states.ts';
import type { EngineParts } from './engine-parts.ts';
import type { JobRelays } from './job-relays.ts';
import { RoutePool } from './route-pool.ts';
import type { SiteRoutes } from './routes.ts';

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

  /** Renews the connection slots of all, and lets go of those that nothing uses any more. */
  async renewSlots(): Promise<void> {
    this.#noteStates();
    for (const [key, pool] of this.#byKey) if (pool.isDone) this.#byKey.delete(key);
    await Promise.all(this.all.map((pool) => pool.renewSlots()));
  }

  /** Notes for the metrics how the relays are; in the background, since nothing waits for it. */
  #noteStates(): void {
    if (performance.now() - this.#notedAt < noteEveryMs) return;
    const states = this.all.flatMap(({ relay, standing }) =>
      standing === 'unknown' ? [] : [{ relay, isUp: standing === 'reached' }],
    );
    if (states.length === 0) return;
    this.#notedAt = performance.now();
    const { app, holder } = this.#parts;
    noteRelayStates(app.control, holder.owner, states).catch((err) =>
      app.log.warn({ err }, 'relay states not noted'),
    );
  }
}
