/** How long two things take, told apart from chance. Durations are in milliseconds. */
export interface TimingComparison {
  /** Between the medians of the two. */
  readonly difference: number;
  /** The spread of one and the same thing: from its first to its third quartile. */
  readonly noise: number;
}

/**
 * Times two requests that a stranger must not be able to tell apart, so many times each. They take turns, in an order
 * that changes with each turn: what the machine does meanwhile meets both alike.
 */
export async function compareTimings(
  tries: number,
  first: (n: number) => Promise<unknown>,
  second: (n: number) => Promise<unknown>,
): Promise<TimingComparison> {
  const durations = { first: new Float64Array(tries), second: new Float64Array(tries) };
  for (let n = 0; n < tries; n++) {
    const turns = [
      ['first', first],
      ['second', second],
    ] as const;
    for (const [name, run] of n % 2 === 0 ? turns : turns.toReversed()) {
      const start = performance.now();
      await run(n);
      durations[name][n] = performance.now() - start;
    }
  }
  const [one, other] = [durations.first.sort(), durations.second.sort()];
  return {
    difference: Math.abs(quantile(one, 0.5) - quantile(other, 0.5)),
    noise: quantile(one, 0.75) - quantile(one, 0.25),
  };
}

const quantile = (sorted: Float64Array, share: number) => sorted[Math.floor((sorted.length - 1) * share)]!;
