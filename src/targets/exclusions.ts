/** Which targets each target excludes; targets that exclude none may be absent. */
export type Exclusions = ReadonlyMap<number, readonly number[]>;

/**
 * Sets that one target's query may be made of, itself counted. Every mention of an excluded target repeats its
 * condition in the statement, so few targets that name each other freely could make one of any length.
 */
export const maxSets = 200;

/** The way from a target back to itself (`[5, 7, 5]`), or undefined when it does not exclude itself. */
export function cycleThrough(exclusions: Exclusions, id: number): number[] | undefined {
  const seen = new Set<number>();
  const walk = (from: number): number[] | undefined => {
    for (const next of exclusions.get(from) ?? []) {
      if (next === id) return [next];
      if (seen.has(next)) continue;
      seen.add(next);
      const rest = walk(next);
      if (rest) return [next, ...rest];
    }
    return undefined;
  };
  const way = walk(id);
  return way && [id, ...way];
}

/** A target whose query would be made of more than `maxSets` sets, if there is one. There must be no cycles. */
export function tooManySets(exclusions: Exclusions): number | undefined {
  const setsOf = sizesWithExcluded(exclusions, () => 1);
  return [...exclusions.keys()].find((id) => setsOf(id) > maxSets);
}

/**
 * How large a target's query is: its own size, and that of what it excludes, at any depth, at each mention again. There
 * must be no cycles.
 */
export function sizesWithExcluded(
  exclusions: Exclusions,
  ownSize: (id: number) => number,
): (id: number) => number {
  const sizes = new Map<number, number>();
  const sizeOf = (id: number): number => {
    const known = sizes.get(id);
    if (known !== undefined) return known;
    const size = (exclusions.get(id) ?? []).reduce((sum, next) => sum + sizeOf(next), ownSize(id));
    sizes.set(id, size);
    return size;
  };
  return sizeOf;
}
