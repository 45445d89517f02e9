/** Whether text can be kept by PostgreSQL and sent as UTF-8: no NUL, no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
