import type { JobCandidate } from './job-candidate.ts';
import type { Providers } from './providers.ts';

/**
 * The recipients of a job whose messages a connection can take. Those to whose provider all our connections are busy
 * stand aside: the next of these that is free continues with them at once, and no one else is held up. As far as
 * their ranges know they are set aside for the provider (RangeRun.hold) until they are taken.
 */
export class ReadyCandidates {
  readonly #providers: Providers;
  readonly #wake: () => void;
  readonly #next: JobCandidate[] = [];
  /** By provider; no list is empty. */
  readonly #aside = new Map<number, JobCandidate[]>();

  /** @param wake is called when somebody who stands aside may be taken. */
  constructor(providers: Providers, wake: () => void) {
    this.#providers = providers;
    this.#wake = wake;
  }

  /** How many are ready of whom it is not known that they have to wait. */
  get length(): number {
    return this.#next.length;
  }

  /** How many could be taken now. */
  get takeable(): number {
    let count = this.#next.length;
    for (const [provider, { length }] of this.#aside)
      count += Math.min(length, this.#providers.room(provider, this.#wake));
    return count;
  }

  /** The providers whose connections somebody waits for. */
  get awaited(): number[] {
    return [...this.#aside.keys()];
  }

  isAwaited(provider: number): boolean {
    return this.#aside.has(provider);
  }

  push(candidate: JobCandidate): void {
    this.#next.push(candidate);
  }

  /** The next one, counted as running to the provider. Who is to be re-read before goes to `giveBack`. */
  take(giveBack: (candidate: JobCandidate) => void): JobCandidate | undefined {
    for (const [provider, aside] of this.#aside) {
      while (aside.length > 0 && this.#providers.room(provider, this.#wake) > 0) {
        const next = aside.shift()!;
        if (aside.length === 0) this.#aside.delete(provider);
        if (next.isFresh && next.run.takeHeld(next.recipient.id, provider)) return this.#begin(next);
        giveBack(next);
      }
    }
    for (let next = this.#next.shift(); next; next = this.#next.shift()) {
      if (!next.isFresh) giveBack(next);
      else if (this.#providers.room(next.provider, this.#wake) > 0) return this.#begin(next);
      else this.#setAside(next);
    }
    return undefined;
  }

  #begin(candidate: JobCandidate): JobCandidate {
    this.#providers.begin(candidate.provider);
    return candidate;
  }

  #setAside(candidate: JobCandidate): void {
    const { run, recipient, provider } = candidate;
    run.hold(recipient.id, provider);
    const aside = this.#aside.get(provider);
    if (aside) aside.push(candidate);
    else this.#aside.set(provider, [candidate]);
  }

  /** Takes out all. */
  drain(): JobCandidate[] {
    const all = [...this.#next.splice(0), ...[...this.#aside.values()].flat()];
    this.#aside.clear();
    return all;
  }
}
