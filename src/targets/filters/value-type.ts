import { columnOf, type Field, type FieldType } from '../../fields/field.ts';
import { periodOf } from '../../fields/operand.ts';
import { type Language, periodInWords } from '../../fields/period.ts';
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { codeInWords } from './field-words.ts';

/** Fixed texts, none of them from outside, so that a statement may have them as they are. */
export type Order = '=' | '<' | '<=' | '>' | '>=';

/** How values of a field type, as fields/operand.ts reads them, are shown and compared in SQL. */
export interface ValueType {
  /** The value as a reader sees it; not escaped. */
  inWords(value: string, field: Field, language: Language): string;
  /** A condition on the field's column, null for an empty column. `value` must be normalised. */
  compare(field: Field, order: Order, value: string): Sql;
  among(field: Field, values: readonly string[]): Sql;
}

/** Text as filters compare it: ignoring case and accents. */
export const folded = (text: Sql | string): Sql => sql`facteur.fold(${text})`;

/**
 * An instant as UTC text. The driver would write the process's zone, whose offset before 1911 has seconds that get
 * lost.
 */
export const instant = (at: Date): Sql => sql`${at.toISOString()}::timestamptz`;

const quoted = (value: string, language: Language) => (language === 'fr' ? `« ${value} »` : `“${value}”`);
const booleanWords = { fr: ['oui', 'non'], en: ['yes', 'no'] } as const;

const text: ValueType = {
  inWords: (value, _field, language) => quoted(value, language),
  compare(field, order, value) {
    const [column, other] = [folded(columnOf(field)), folded(value)];
    // By code point, so that an order does not depend on how a server's collations were built.
    return order === '=' ? sql`${column} = ${other}` : sql`${column} collate "C" ${raw(order)} ${other}`;
  },
  // A sub-query and not an array: PostgreSQL hashes it, whereas `= any(array computed)` is searched row by row.
  among: (field, values) =>
    sql`${folded(columnOf(field))} in (select facteur.fold(v) from unnest(${values}::text[]) as v)`,
};

const integer: ValueType = {
  inWords: codeInWords,
  // Bare column and typed parameter: an index on the column, or a partial one, serves it.
  compare: (field, order, value) => sql`${columnOf(field)} ${raw(order)} ${value}::bigint`,
  among: (field, values) => sql`${columnOf(field)} = any(${values}::bigint[])`,
};

const date: ValueType = {
  inWords: (value, _field, language) => periodInWords(value, language),
  compare(field, order, value) {
    const column = columnOf(field);
    const period = periodOf(value);
    const [start, end] = [instant(period.start), instant(period.end)];
    if (order === '=') return sql`(${column} >= ${start} and ${column} < ${end})`;
    if (order === '<') return sql`${column} < ${start}`;
    if (order === '<=') return sql`${column} < ${end}`;
    return sql`${column} >= ${order === '>' ? end : start}`;
  },
  // A multirange, which PostgreSQL searches by halves and merges if periods overlap.
  among(field, values) {
    const periods = values
      .map(periodOf)
      .map(({ start, end }) => `[${start.toISOString()},${end.toISOString()})`);
    return sql`${columnOf(field)} <@ ${`{${periods.join(',')}}`}::tstzmultirange`;
  },
};

const list: ValueType = {
  inWords: (value, field, language) =>
    quoted(field.list?.find((one) => String(one.key) === value)?.value ?? value, language),
  compare: (field, order, value) => sql`${columnOf(field)} ${raw(order)} ${value}::int`,
  among: (field, values) => sql`${columnOf(field)} = any(${values}::int[])`,
};

const boolean: ValueType = {
  inWords: (value, _field, language) => booleanWords[language][value === 'true' ? 0 : 1],
  // Field 8 is kept as 0 and 1.
  compare: (field, order, value) =>
    field.id === 8
      ? sql`${columnOf(field)} ${raw(order)} ${value === 'true' ? 1 : 0}::bigint`
      : sql`${columnOf(field)} ${raw(order)} ${value === 'true'}::boolean`,
  among: (field, values) =>
    sql`(${join(
      values.map((value) => boolean.compare(field, '=', value)),
      ' or ',
    )})`,
};

export const valueTypes: Readonly<Record<FieldType, ValueType>> = {
  Text: text,
  Integer: integer,
  Date: date,
  List: list,
  Boolean: boolean,
};
