/**
 * Which providers a process asks for nothing for a moment, since their messages per hour are used up. Their recipients
 * are set aside as long, so that they do not stand in the way of the others.
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
