import type { Clock } from '../platform/clock.ts';

/** A clock that is stalled until a test moves it. */
export class FixedClock implements Clock {
  #now: Date;

  constructor(iso: string) {
    this.#now = new Date(iso);
  }

  now(): Date {
    return new Date(this.#now);
  }

  set(iso: string | Date): void {
    this.#now = new Date(iso);
  }

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}
