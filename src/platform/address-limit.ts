import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

/** Adds to a count that is kept only while it is not zero. */
export function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

/** Counts the open connections of each address, so that one cannot take all places. An IPv6 /64 is one address. */
export class AddressLimit {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a client that has just come may stay; it is counted until it no longer exists. False for one that has. */
  admits(socket: Socket): boolean {
    const address = socket.remoteAddress && networkOf(socket.remoteAddress);
    if (!address || (this.#open.get(address) ?? 0) >= this.#max) return false;
    addTo(this.#open, address, 1);
    socket.once('close', () => addTo(this.#open, address, -1));
    return true;
  }
}
