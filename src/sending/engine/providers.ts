import type { Provider } from '../../accounts/provider.ts';
import { listProviders, providersByDomain } from '../../accounts/provider-store.ts';
import type { Connection } from '../../platform/db/database.ts';
import { ProviderSlots } from './connection-permits.ts';

/** What may go to one mailbox provider; 0 is no limit. */
interface ProviderLimits {
  readonly maxConnections: number;
  readonly messagesPerHour: number;
}

const unlimited: ProviderLimits = { maxConnections: 0, messagesPerHour: 0 };
const rereadAfterMs = 60_000;

/** The providers and what is running to each. Their limits hold over all processes. */
export class Providers {
  readonly #control: Connection;
  #byDomain: ReadonlyMap<string, number> = new Map();
  #limits: ReadonlyMap<number, Provider> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #slots = new Map<number, ProviderSlots>();
  readonly #owner: string;
  readonly #complain: (error: Error, what: string) => void;

  constructor(control: Connection, owner: string, complain: (error: Error, what: string) => void) {
    this.#control = control;
    this.#owner = owner;
    this.#complain = complain;
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

  /** The domains that belong to a provider. */
  get domains(): string[] {
    return [...this.#byDomain.keys()];
  }

  /** The domains of one provider, as read last. */
  domainsOf(provider: number): readonly string[] {
    return this.#limits.get(provider)?.domains ?? [];
  }

  /** Providers with a limit of messages, as read last. */
  limited(): Provider[] {
    return [...this.#limits.values()].filter(({ messagesPerHour }) => messagesPerHour > 0);
  }

  messagesPerHour(provider: number): number {
    return (this.#limits.get(provider) ?? unlimited).messagesPerHour;
  }

  /** How many messages to the provider may begin now; when none may, `wake` is called once as soon as one may. */
  room(provider: number, wake: () => void): number {
    const slots = this.#slotsOf(provider);
    const room = slots.room(this.#maxConnections(provider), wake);
    if (room === 0) void this.#renew(provider, slots);
    return room;
  }

  /** Counts a message running. Only when there is room for it. */
  begin(provider: number): void {
    this.#slotsOf(provider).begin();
  }

  leave(provider: number): void {
    this.#slotsOf(provider).leave();
  }

  /** Renews the slots that are in use, and releases the others. Called about once a second. */
  async renewSlots(): Promise<void> {
    const alive = [...this.#slots].filter(([, slots]) => slots.isAlive);
    await Promise.all(alive.map(([provider, slots]) => this.#renew(provider, slots)));
  }

  async #renew(provider: number, slots: ProviderSlots): Promise<void> {
    await slots
      .renew(this.#maxConnections(provider))
      .catch((error: Error) => this.#complain(error, 'slots of a provider not renewed'));
  }

  #maxConnections(provider: number): number {
    return (this.#limits.get(provider) ?? unlimited).maxConnections;
  }

  #slotsOf(provider: number): ProviderSlots {
    let slots = this.#slots.get(provider);
    if (!slots) {
      slots = new ProviderSlots(this.#control, this.#owner, provider);
      this.#slots.set(provider, slots);
    }
    return slots;
  }
}
