/** How often figures are read again while a sending runs, and in its first hour. */
export const renewMs = 10_000;
const hourMs = 3_600_000;
/** Reports of bounces come within three days after the end of a sending, most opens on its first day. */
const youngMs = 72 * hourMs;

/** Milliseconds after which figures of sendings are read again; false for old ones, which hardly change. */
export function renewOf(sendings: readonly { readonly endDate: string | null }[]): number | false {
  const ages = sendings.map(({ endDate }) => (endDate === null ? 0 : Date.now() - Date.parse(endDate)));
  const age = Math.min(...ages);
  if (age > youngMs) return false;
  return age > hourMs ? 6 * renewMs : renewMs;
}
