import type { Providers } from './providers.ts';

/** What the queue has to know of those who stand in it. */
interface Queued {
  readonly provider: number;
  /** False when it must be read again, or is of no use any more. */
  readonly isFresh: boolean;
}

/** Who is kept ready for each provider whose connections are all busy: enough to use one the moment it is free. */
const mostWaiting = 64;

/**
 * Recipients that were read and can be sent to, in order. One whose provider takes no more connections of ours steps
 * aside and lets the others pass.
 */
export class ReadyQueue<Candidate extends Queued> {
  #inOrder: Candidate[] = [];
  /** By provider, who has stepped aside. */
  readonly #aside = new Map<number, Candidate[]>();
  readonly #providers: Providers;
  readonly #giveBack: (candidate: Candidate, isProviderFull: boolean) => void;

  /** @param giveBack is told who leaves the queue without being sent to, and whether for a provider that is full. */
  constructor(providers: Providers, giveBack: (candidate: Candidate, isProviderFull: boolean) => void) {
    this.#providers = providers;
    this.#giveBack = giveBack;
  }

  /** How many stand in order. */
  get length(): number {
    return this.#inOrder.length;
  }

  /** How many could be taken now. */
  get takeable(): number {
    let count = this.#inOrder.length;
    for (const [provider, waiting] of this.#aside)
      if (this.#providers.hasRoom(provider)) count += waiting.length;
    return count;
  }

  /** Whether somebody waits for a connection of his provider. */
  get hasWaiting(): boolean {
    return this.#aside.size > 0;
  }

  push(candidate: Candidate): void {
    this.#inOrder.push(candidate);
  }

  /** The next one; his message is counted with the provider's. */
  take(): Candidate | undefined {
    return this.#takeAside() ?? this.#takeInOrder();
  }

  /** Gives all back. */
  clear(): void {
    const all = [...this.#aside.values(), this.#inOrder].flat();
    this.#aside.clear();
    this.#inOrder = [];
    for (const candidate of all) this.#giveBack(candidate, false);
  }

  #takeAside(): Candidate | undefined {
    for (const [provider, waiting] of this.#aside) {
      while (waiting.length > 0 && !waiting[0]!.isFresh) this.#giveBack(waiting.shift()!, false);
      const next = waiting.length > 0 && this.#providers.enter(provider) ? waiting.shift() : undefined;
      if (waiting.length === 0) this.#aside.delete(provider);
      if (next) return next;
    }
    return undefined;
  }

  #takeInOrder(): Candidate | undefined {
    for (let next = this.#inOrder.shift(); next; next = this.#inOrder.shift()) {
      if (!next.isFresh) this.#giveBack(next, false);
      else if (this.#providers.enter(next.provider)) return next;
      else this.#stepAside(next);
    }
    return undefined;
  }

  #stepAside(candidate: Candidate): void {
    const waiting = this.#aside.get(candidate.provider);
    if (!waiting) this.#aside.set(candidate.provider, [candidate]);
    else if (waiting.length < mostWaiting) waiting.push(candidate);
    else this.#giveBack(candidate, true);
  }
}
