/** An instant as an input of date and time has it, in Paris time: 2026-11-25T10:30. */
export const parisInput = (instant: string | null | undefined): string =>
  instant
    ? new Date(instant).toLocaleString('sv-SE', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16)
    : '';

/** The instant of a date and time of Paris; null while it is not complete. */
export function parisInstant(input: string): string | null {
  const both = ['+02:00', '+01:00'].map((offset) => new Date(`${input}:00${offset}`));
  const [first] = both;
  if (!first || Number.isNaN(first.getTime())) return null;
  // In the hour that does not exist in spring, neither fits: the later clock counts.
  return (both.find((one) => parisInput(one.toISOString()) === input) ?? first).toISOString();
}
