import { join, raw, type Sql, sql } from '../platform/db/sql.ts';

/**
 * What OWASP's page on CSV injection has a spreadsheet take a cell for a formula by, or pass over on the way to one,
 * when it is the first character: also the full-width forms, which some spreadsheets take for the others.
 */
const firstCharacters = ['=', '+', '-', '@', '\t', '\n', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

const codes = join(firstCharacters.map((one) => raw(String(one.codePointAt(0)))));

/** A text that a spreadsheet shows as it is: with a `'` before it when it would be taken for a formula. */
export function escapedFormula(text: string): string {
  return firstCharacters.some((one) => text.startsWith(one)) ? `'${text}` : text;
}

/**
 * The same of a value of type text, in SQL; none stays none.
 * @param value is written three times, so that it must be cheap: a column, a choice of columns.
 */
export function escapedValue(value: Sql): Sql {
  // Numbers are compared, not texts: no collation is asked.
  return sql`case when ascii(${value}) in (${codes}) then '''' || ${value} else ${value} end`;
}
