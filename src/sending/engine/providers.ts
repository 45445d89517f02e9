import type { Provider } from '../../accounts/provider.ts';
import { listProviders, providersByDomain } from '../../accounts/provider-store.ts';
import type { Connection } from '../../platform/db/database.ts';
import { keptIn } from '../../platform/remembered.ts';
import type { HourlyLimit } from './permit-store.ts';
import { ConnectionPermits } from './permits.ts';

const rereadAfterMs = 60_000;
/** Milliseconds between renewals of the connections to one provider, however often they are requested. */
const renewedEveryMs = 200;

/** Mailbox providers, their limits, and the connections to them. The limits hold over all processes. */
export class Providers {
  readonly #control: Connection;
  readonly #owner: string;
  readonly #complain: (error: Error, what: string) => void;
  #byDomain: ReadonlyMap<string, number> = new Map();
  #known: ReadonlyMap<number, Provider> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #connections = new Map<number, { readonly permits: ConnectionPermits; renewedAt: number }>();
  /** Ends of the providers' pauses (performance.now()). */
  readonly #pausedUntil = new Map<number, number>();

  constructor(control: Connection, owner: string, complain: (error: Error, what: string) => void) {
    this.#control = control;
    this.#owner = owner;
    this.#complain = complain;
  }

  /** Reads the tables again if the last reading is more than a minute old. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < rereadAfterMs) return;
    this.#byDomain = await providersByDomain(this.#control);
    this.#known = new Map((await listProviders(this.#control)).map((one) => [one.id, one]));
    this.#readAt = performance.now();
  }

  /** Returns the provider of an email domain in lower case; 0 if it is not listed. */
  readonly of = (domain: string): number => this.#byDomain.get(domain) ?? 0;

  /** The domains that belong to a provider. */
  get domains(): string[] {
    return [...this.#byDomain.keys()];
  }

  domainsOf(provider: number): readonly string[] {
    return this.#known.get(provider)?.domains ?? [];
  }

  /** The ids of the providers with a limit of messages. */
  get limited(): number[] {
    return [...this.#known.values()].filter((one) => one.messagesPerHour > 0).map(({ id }) => id);
  }

  hourlyLimit(provider: number): HourlyLimit {
    return { key: `provider:${provider}`, perHour: this.#known.get(provider)?.messagesPerHour ?? 0 };
  }

  /** Queues a provider's recipients for `ms` milliseconds, because its messages per hour are used up. */
  pause(provider: number, ms: number): void {
    this.#pausedUntil.set(provider, performance.now() + ms);
  }

  /** The providers that are paused now. */
  get paused(): number[] {
    return [...this.#pausedUntil.keys()].filter((provider) => this.waitMs(provider) > 0);
  }

  /** Milliseconds until a provider's pause ends; 0 if it is not paused. */
  waitMs(provider: number): number {
    return Math.max(0, (this.#pausedUntil.get(provider) ?? 0) - performance.now());
  }

  /** Returns how many messages to a provider may begin now. If none, `wake` is called once when one may. */
  free(provider: number, wake: () => void): number {
    const free = this.connectionsTo(provider).free(this.#maxConnections(provider), wake);
    if (free === 0) void this.#renew(provider);
    return free;
  }

  connectionsTo(provider: number): ConnectionPermits {
    return this.#of(provider).permits;
  }

  /** Renews the connections that are in use, and releases the others. Called about once a second. */
  async renewPermits(): Promise<void> {
    const alive = [...this.#connections].filter(([, { permits }]) => permits.isAlive);
    await Promise.all(alive.map(([provider]) => this.#renew(provider)));
  }

  async #renew(provider: number): Promise<void> {
    const known = this.#of(provider);
    // Renewals of a database that hangs must not queue up.
    if (known.permits.isRenewing || performance.now() - known.renewedAt < renewedEveryMs) return;
    known.renewedAt = performance.now();
    await known.permits
      .renew(this.#maxConnections(provider))
      .catch((error: Error) => this.#complain(error, "permits of a provider's connections not renewed"));
  }

  #maxConnections(provider: number): number {
    return this.#known.get(provider)?.maxConnections ?? 0;
  }

  #of(provider: number): { readonly permits: ConnectionPermits; renewedAt: number } {
    return keptIn(this.#connections, provider, () => ({
      permits: new ConnectionPermits(this.#control, this.#owner, `provider:${provider}`),
      renewedAt: Number.NEGATIVE_INFINITY,
    }));
  }
}
