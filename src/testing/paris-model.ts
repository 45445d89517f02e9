const paris = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Paris',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** `2026-11-20T10:30:00`, what clocks in Paris show. */
export function parisTime(at: Date): string {
  return paris.format(at).replace(' ', 'T');
}

/** Days since 1970 of the calendar in Paris. */
export function parisDayNumber(at: Date): number {
  return Date.parse(`${parisTime(at).slice(0, 10)}T00:00:00Z`) / 86_400_000;
}

/** Weeks since 1970, each beginning on a Monday in Paris; 1 January 1970 was a Thursday. */
export function parisWeekNumber(at: Date): number {
  return Math.floor((parisDayNumber(at) + 3) / 7);
}
