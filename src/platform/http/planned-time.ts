import { Temporal } from 'temporal-polyfill';
import { readPlannedTime } from '../paris-time.ts';
import { invalid } from './refusal.ts';
import { Line } from './schema.ts';

/** A date-time of a schedule, as text; `readTime` reads it. */
export const PlannedTime = (more = '') =>
  Line(40, `An ISO 8601 date-time; without an offset a wall time in Paris (2026-12-24T02:30:00)${more}`);

// Far years mean a slip of the pen; and what is planned must fit everything that handles it.
const [firstYear, lastYear] = [2000, 2199];

/** The instant of a date-time of a schedule. @throws 400 that names the member and the rule */
export function readTime(text: string, name: string): Date {
  const at = readPlannedTime(text);
  if (!at) throw invalid(`${name}: must be an ISO 8601 date-time, for example 2026-12-24T02:30:00+01:00`);
  const year = at.getUTCFullYear();
  if (year < firstYear || year > lastYear) {
    throw invalid(`${name}: must be in the years ${firstYear} to ${lastYear}`);
  }
  return at;
}

/** A date this little past is taken for “now”: clocks differ, and requests take time. */
const patienceMs = 60_000;

/** Reads a future date-time. @throws 400 if it is invalid or past */
export function readComingTime(text: string, name: string, now: Date): Date {
  const at = readTime(text, name);
  if (at.getTime() < now.getTime() - patienceMs) throw invalid(`${name}: ${at.toISOString()} is past`);
  return at;
}

/** The time of day `HH:mm:ss`. @throws 400 that names the member */
export function readTimeOfDay(text: string, name: string): Temporal.PlainTime {
  if (!/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)) throw invalid(`${name}: must be HH:mm:ss`);
  return Temporal.PlainTime.from(text);
}
