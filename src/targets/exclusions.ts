/** The targets that each target excludes; targets that exclude none may be absent. */
export type Exclusions = ReadonlyMap<number, readonly number[]>;

/**
 * Maximum number of sets in one target's query, including its own. Each mention of an excluded target repeats its
 * condition, so without a limit a few targets could make a statement of any length.
 */
export const maxSets = 200;

/** The path from a target back to itself (`[5, 7, 5]`); undefined if it does not exclude itself. */
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

/** A target whose query would have more than `maxSets` sets. There must be no cycles. */
export function tooManySets(exclusions: Exclusions): number | undefined {
  const setsOf = sizesWithExcluded(exclusions, () => 1);
  return [...exclusions.keys()].find((id) => setsOf(id) > maxSets);
}

/**
 * Returns the size of a target's query: its own size, plus that of each target it excludes, at any depth and at each
 * mention. There must be no cycles.
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
