const dayMs = 86_400_000;

/** The day of an instant in Paris, `yyyy-MM-dd`. */
export const dayOf = (instant: Date | string | number): string =>
  new Date(instant).toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });

/** The time of an instant in Paris, `HH:mm:ss`. */
export const timeOf = (instant: string): string =>
  new Date(instant).toLocaleTimeString('sv-SE', { timeZone: 'Europe/Paris' });

/** A day that is some days later, or earlier. */
export const daysLater = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** A month that is some months later, or earlier; both `yyyy-MM`. */
export function monthsLater(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** The weeks of a month, from Monday on, with the days of its neighbours that fill them. */
export function weeksOf(month: string): readonly (readonly string[])[] {
  const first = `${month}-01`;
  const beforeFirst = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const days = (Date.parse(`${monthsLater(month, 1)}-01`) - Date.parse(first)) / dayMs;
  const start = daysLater(first, -beforeFirst);
  return Array.from({ length: Math.ceil((beforeFirst + days) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_day, day) => daysLater(start, 7 * week + day)),
  );
}
