/** A formatted count with what is counted. Only 1 is singular. */
export const counted = (count: string | number, one: string, many: string): string =>
  `${count} ${/^1$/.test(String(count)) ? one : many}`;
