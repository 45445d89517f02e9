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

/**
 * The instant of a wall time in Paris. A time that the spring change skips is moved on by the hour (02:30 is 03:30);
 * of one that occurs twice in autumn it is the first.
 */
export function instantOfParisTime(time: Temporal.PlainDateTime): Date {
  return new Date(time.toZonedDateTime(parisZone, { disambiguation: 'compatible' }).epochMilliseconds);
}

/**
 * The instant at which something planned for a wall time in Paris happens. A time that the spring change skips happens
 * at the first instant after the gap (02:30 at 03:00); one that occurs twice in autumn happens the first time.
 */
export function plannedInstantOf(time: Temporal.PlainDateTime): Date {
  const at = time.toZonedDateTime(parisZone, { disambiguation: 'earlier' });
  if (at.toPlainDateTime().equals(time)) return new Date(at.epochMilliseconds);
  // Inside the gap “earlier” is before it, so the next transition is the gap itself.
  return new Date(at.getTimeZoneTransition('next')!.epochMilliseconds);
}

const writtenTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Reads an ISO 8601 date-time: with an offset as that instant, otherwise as planned wall time in Paris.
 * @returns undefined if it is invalid, or not in the calendar (30 February)
 */
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
