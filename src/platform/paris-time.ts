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
