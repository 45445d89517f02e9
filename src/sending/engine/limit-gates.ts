import type { Suspension } from '../../alerts/suspensions.ts';

/** Who is suspended is looked at again after this. */
const suspendedAgainMs = 5_000;

/**
 * Which providers a process requests nothing for a moment, since their messages per hour are used up. Their
 * recipients are set aside as long, so that they do not stand in the way of the others.
 */
export class LimitGates {
  readonly #until = new Map<number, number>();

  /** Asks nothing more of a provider for so many milliseconds. */
  shut(provider: number, ms: number): void {
    this.#until.set(provider, performance.now() + ms);
  }

  /** The providers that may not be asked now. */
  get shutNow(): number[] {
    return [...this.#until.keys()].filter((provider) => this.waitMs(provider) > 0);
  }

  /** Milliseconds until a provider may be asked; 0 when it may be now. */
  waitMs(provider: number): number {
    const until = this.#until.get(provider);
    return until === undefined ? 0 : Math.max(0, until - performance.now());
  }
}

/** What keeps the messages of one sender from providers: used-up limits, and suspensions because of complaints. */
export class SenderGates {
  readonly #gates: LimitGates;
  readonly #suspended: () => readonly Suspension[];

  /** @param suspended the suspensions of the sender, as they are now */
  constructor(gates: LimitGates, suspended: () => readonly Suspension[]) {
    this.#gates = gates;
    this.#suspended = suspended;
  }

  shut(provider: number, ms: number): void {
    this.#gates.shut(provider, ms);
  }

  get shutNow(): number[] {
    return this.#gates.shutNow;
  }

  /** Which of these providers are suspended, in words; undefined when none are. */
  suspension(providers: readonly number[]): string | undefined {
    const own = this.#suspended().filter(({ idProvider }) => providers.includes(idProvider));
    if (own.length === 0) return undefined;
    const names = own.map(({ provider, id }) => `${provider} (alert ${id})`).join(', ');
    return `Sending is suspended because of complaints at ${names}; the messages wait`;
  }

  isSuspended(provider: number): boolean {
    return this.#suspended().some(({ idProvider }) => idProvider === provider);
  }

  waitMs(provider: number): number {
    return this.isSuspended(provider) ? suspendedAgainMs : this.#gates.waitMs(provider);
  }
}
