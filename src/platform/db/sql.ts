/**
 * SQL as a tagged template: values become parameters, nested fragments are inlined, nothing is ever pasted as text
 * but what `raw` is given. `raw` takes only names that we made ourselves (see `identifier`).
 */
import sqlTag, { empty, join, raw, type Sql } from 'sql-template-tag';

export const sql = sqlTag;
export { empty, join, raw, type Sql };

/** A time as text, as `Date.toISOString` writes it. */
export const isoTime = (time: Sql): Sql =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A quoted identifier. Names come from our own lists or tables, never from a request; this is the second wall. */
export function identifier(...parts: string[]): Sql {
  return raw(parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.'));
}
