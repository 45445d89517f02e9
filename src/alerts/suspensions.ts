import type { App } from '../platform/app.ts';
import { keptIn } from '../platform/remembered.ts';
import { suspendedPairs } from './alert-store.ts';

/** A provider to which messages of one sender's domain wait. */
export interface Suspension {
  readonly idProvider: number;
  readonly provider: string;
  readonly id: string;
}

/** The suspended pairs, as this process last read them. */
export class Suspensions {
  readonly #app: App;
  #of: ReadonlyMap<string, readonly Suspension[]> = new Map();
  #sites: ReadonlySet<number> = new Set();

  constructor(app: App) {
    this.#app = app;
  }

  /** Re-reads the few suspended pairs, about once a second. */
  async refresh(): Promise<void> {
    const pairs = await suspendedPairs(this.#app.control, this.#app.clock.now());
    const bySender = new Map<string, Suspension[]>();
    for (const { idSite, senderDomain, ...suspension } of pairs) {
      keptIn(bySender, keyOf(idSite, senderDomain), () => []).push(suspension);
    }
    this.#of = bySender;
    this.#sites = new Set(pairs.map(({ idSite }) => idSite));
  }

  of(idSite: number, senderDomain: string): readonly Suspension[] {
    return this.#of.get(keyOf(idSite, senderDomain)) ?? [];
  }

  /** Whether anything of a site is suspended. */
  isAny(idSite: number): boolean {
    return this.#sites.has(idSite);
  }

  has(idSite: number, senderDomain: string, idProvider: number): boolean {
    return this.of(idSite, senderDomain).some((one) => one.idProvider === idProvider);
  }
}

const keyOf = (idSite: number, senderDomain: string) => `${idSite} ${senderDomain}`;
