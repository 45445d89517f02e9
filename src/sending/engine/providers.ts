import type { Provider } from '../../accounts/provider.ts';
import { listProviders, providersByDomain } from '../../accounts/provider-store.ts';
import type { Connection } from '../../platform/db/database.ts';

/** What may go to one mailbox provider; 0 is no limit. */
interface ProviderLimits {
  readonly maxConnections: number;
  readonly messagesPerHour: number;
}

const unlimited: ProviderLimits = { maxConnections: 0, messagesPerHour: 0 };
const rereadAfterMs = 60_000;

/** The providers and what is under way to each. Limits of messages hold over all processes, of connections in each. */
export class Providers {
  readonly #control: Connection;
  #byDomain: ReadonlyMap<string, number> = new Map();
  #limits: ReadonlyMap<number, Provider> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #underWay = new Map<number, number>();

  constructor(control: Connection) {
    this.#control = control;
  }

  /** Reads the tables again when what is known is older than a minute. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < rereadAfterMs) return;
    this.#byDomain = await providersByDomain(this.#control);
    this.#limits = new Map((await listProviders(this.#control)).map((one) => [one.id, one]));
    this.#readAt = performance.now();
  }

  /** The provider of an email domain in lower case; 0 when it is not listed. */
  readonly of = (domain: string): number => this.#byDomain.get(domain) ?? 0;

  /** Providers with a limit of messages, as read last. */
  limited(): Provider[] {
    return [...this.#limits.values()].filter(({ messagesPerHour }) => messagesPerHour > 0);
  }

  messagesPerHour(provider: number): number {
    return (this.#limits.get(provider) ?? unlimited).messagesPerHour;
  }

  /** Counts a message under way; false, and not counted, when the provider's connections are all busy. */
  enter(provider: number): boolean {
    const { maxConnections } = this.#limits.get(provider) ?? unlimited;
    const count = this.#underWay.get(provider) ?? 0;
    if (maxConnections > 0 && count >= maxConnections) return false;
    this.#underWay.set(provider, count + 1);
    return true;
  }

  leave(provider: number): void {
    this.#underWay.set(provider, (this.#underWay.get(provider) ?? 1) - 1);
  }
}
