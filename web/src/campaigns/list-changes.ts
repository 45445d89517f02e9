/** The newest values of rows, in the order in which they are shown; a row that is no longer listed stays. */
export function inPlace<Row extends { readonly id: number }>(
  shown: readonly Row[],
  fresh: readonly Row[],
): Row[] {
  const newest = new Map(fresh.map((row) => [row.id, row]));
  return shown.map((row) => newest.get(row.id) ?? row);
}

/** The least number of rows that were added, removed or moved. */
export function changesOf(shown: readonly { id: number }[], fresh: readonly { id: number }[]): number {
  const places = new Map(fresh.map(({ id }, place) => [id, place]));
  const common = shown.flatMap(({ id }) => places.get(id) ?? []);
  // A row that enters a full page pushes another one out; both are one change.
  const replaced = Math.max(shown.length, fresh.length) - common.length;
  return replaced + common.length - longestRise(common);
}

/** The length of the longest rising subsequence: the rows that keep their order. */
function longestRise(places: readonly number[]): number {
  const lengths: number[] = [];
  for (const [index, place] of places.entries())
    lengths.push(
      1 + Math.max(0, ...lengths.filter((_, earlier) => earlier < index && places[earlier]! < place)),
    );
  return Math.max(0, ...lengths);
}
