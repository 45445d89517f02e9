/** The sendings of the newest job. */
export function newestOf<Sending extends { readonly idJob: number }>(
  sendings: readonly Sending[],
): readonly Sending[] {
  const newest = Math.max(...sendings.map(({ idJob }) => idJob));
  return sendings.filter(({ idJob }) => idJob === newest);
}
