import { join, raw, type Sql, sql } from '../platform/db/sql.ts';

/**
 * First characters by which a spreadsheet reads a cell as a formula, or skips on the way to one, according to OWASP's
 * page on CSV injection; with their full-width forms, which some spreadsheets read alike.
 */
const firstCharacters = ['=', '+', '-', '@', '\t', '\n', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

const codes = join(firstCharacters.map((one) => raw(String(one.codePointAt(0)))));

/** Characters before a formula: spaces, controls, those without width. PostgreSQL's texts have no NUL. */
const invisible = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const leading = new RegExp(`^${invisible.source}+`, 'u');

/** Characters for `ltrim`, as a literal, because a COPY takes no parameters. */
const invisibleLiteral = raw(`e'${invisibleEscapes()}'`);

function invisibleEscapes(): string {
  const found: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    // About 3,900 unassigned code points: no text has them by chance, and each costs a comparison.
    const isReserved = code > 0xe01ef;
    if (isSurrogate || isReserved || !invisible.test(String.fromCodePoint(code))) continue;
    found.push(`\\U${code.toString(16).padStart(8, '0')}`);
  }
  return found.join('');
}

/** A text that a spreadsheet shows as it is: with a `'` before it when it would be taken for a formula. */
export function escapedFormula(text: string): string {
  const seen = text.replace(leading, '');
  return firstCharacters.some((one) => text.startsWith(one) || seen.startsWith(one)) ? `'${text}` : text;
}

/** Escapes a text in SQL; null stays null. @param value a column or a choice of columns: it is repeated */
export function escapedValue(value: Sql): Sql {
  // Numbers are compared, not texts: no collation is asked. What begins with a character of ASCII that is seen, as
  // most values do, is not trimmed.
  return sql`case when ascii(${value}) in (${codes})
      or (ascii(${value}) not between 33 and 126 and ascii(ltrim(${value}, ${invisibleLiteral})) in (${codes}))
    then '''' || ${value} else ${value} end`;
}
