/** An instant as an input of date and time has it, in Paris time: 2026-11-25T10:30. */
export const parisInput = (instant: string | null | undefined): string =>
  instant
    ? new Date(instant).toLocaleString('sv-SE', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16)
    : '';

/** The meaning of a date and time of Paris. Where the clocks change, it exists twice or not at all. */
export interface WallTime {
  /** The instant. For a time that exists twice the first; for one that does not exist the first after the gap. */
  readonly instant: string;
  /** The second instant of one that exists twice. */
  readonly second?: string | undefined;
  readonly isSkipped: boolean;
}

/** Before, the offsets of Paris were others. It also leaves out years that are typed in part, as 0202. */
const standardTime = '2000';

/** Reads a date and time of Paris, with or without seconds; null while it is not complete. */
export function wallTime(input: string): WallTime | null {
  const both = ['+02:00', '+01:00'].map((offset) => new Date(input + offset));
  if (!/T\d/.test(input) || both.some((one) => Number.isNaN(one.getTime()))) return null;
  const [first, second] = both
    .map((one) => one.toISOString())
    .filter((one) => parisInput(one) === input.slice(0, 16));
  // The gap is a whole hour, which begins in winter time.
  const afterGap = () => new Date(`${input.slice(0, 13)}:00+01:00`).toISOString();
  return { instant: first ?? afterGap(), second, isSkipped: first === undefined && input >= standardTime };
}

/** The instant of a date and time of Paris; null while it is not complete. */
export const parisInstant = (input: string): string | null => wallTime(input)?.instant ?? null;
