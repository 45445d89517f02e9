/** Why PostgreSQL rejects a row (of those of the statement), without its values; undefined for other errors. */
export function whyRowRefused(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (typeof code !== 'string' || !isOfRows(code)) return undefined;
  const what = typeof constraint === 'string' ? `constraint ${constraint}, ${code}` : code;
  return `PostgreSQL does not take its values (${what})`;
}

/**
 * Classes 22 (data exception), 23 (integrity constraint violation) and 44 (with check option), a row too large for a
 * page (54000) and what a trigger raises (P0001). Identifiers that are used up (2200H) are of no single row.
 */
function isOfRows(code: string): boolean {
  if (code === '2200H') return false;
  return (/^(22|23|44)/.test(code) && code.length === 5) || code === '54000' || code === 'P0001';
}
