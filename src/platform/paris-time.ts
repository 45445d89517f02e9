import { Temporal } from 'temporal-polyfill';

/** Wall times of the document are Paris wall times. */
export const parisZone = 'Europe/Paris';

/** The day it is in Paris at an instant. */
export function parisDayOf(at: Date): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(parisZone).toPlainDate();
}

/** The instant at which a day begins in Paris. */
export function startOfParisDay(day: Temporal.PlainDate): Date {
  return new Date(day.toZonedDateTime(parisZone).epochMilliseconds);
}

/** Wall time in Paris at an instant. */
export function parisTimeOf(at: Date): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(parisZone).toPlainDateTime();
}

/** Returns the instant of a Paris wall time: a skipped 02:30 is 03:30, a repeated time is the first. */
export function instantOfParisTime(time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(parisZone, { disambiguation: 'compatible' }).epochMilliseconds);
}

/** Returns the instant of a planned Paris wall time: a skipped 02:30 is 03:00, a repeated time is the first. */
export function plannedInstantOf(time: Temporal.PlainDateTime): Date {
  const at = time.toZonedDateTime(parisZone, { disambiguation: 'earlier' });
  if (at.toPlainDateTime().equals(time)) return new Date(at.epochMilliseconds);
  // Inside the gap “earlier” is before it, so the next transition is the gap itself.
  return new Date(at.getTimeZoneTransition('next')!.epochMilliseconds);
}

const writtenTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

/** Reads an ISO 8601 date-time, without an offset as planned Paris time. @returns undefined if it is invalid */
export function readPlannedTime(text: string): Date | undefined {
  const match = writtenTime.exec(text);
  if (!match) return undefined;
  try {
    if (match[1] === undefined) return plannedInstantOf(Temporal.PlainDateTime.from(text));
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return undefined;
  }
}
