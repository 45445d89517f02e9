/** A formatted count with what is counted. French has the singular for 0 and 1. */
export const counted = (count: string | number, one: string, many: string): string =>
  `${count} ${/^[01]$/.test(String(count)) ? one : many}`;
