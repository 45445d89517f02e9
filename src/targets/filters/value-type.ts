import { columnOf, type Field, type FieldType } from '../../fields/field.ts';
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { frenchPeriod, type Period, readPeriod } from './period.ts';

export type Order = '=' | '<' | '<=' | '>' | '>=';

/** How the values of one type of field are read from a filter's text, written, and compared in SQL. */
export interface ValueType {
  /** What a value must be, for the message that refuses one. */
  rule(field: Field): string;
  /** The value as it is kept, or undefined when it breaks the rule. */
  normalise(text: string, field: Field): string | undefined;
  /** The value as a French reader sees it; not escaped. */
  french(value: string, field: Field): string;
  /** A condition on the field's column; null where the column is. `value` is a normalised one. */
  compare(field: Field, order: Order, value: string): Sql;
  among(field: Field, values: readonly string[]): Sql;
  /** Whether `Between a;b` can hold; always true where only the database knows the order. */
  inOrder(a: string, b: string): boolean;
}

// The five are made here and nowhere else, so they are not text from outside.
const signs: Record<Order, Sql> = {
  '=': raw('='),
  '<': raw('<'),
  '<=': raw('<='),
  '>': raw('>'),
  '>=': raw('>='),
};

/** Text as filters compare it, without regard to case and accents. */
export const folded = (text: Sql | string): Sql => sql`facteur.fold(${text})`;

/** As UTC text: the driver would write the process's own zone, whose offset before 1911 has seconds that get lost. */
export const instant = (at: Date): Sql => sql`${at.toISOString()}::timestamptz`;

const text: ValueType = {
  rule: () => 'must be text',
  normalise: (given) => (given === '' ? undefined : given.normalize('NFC')),
  french: (value) => `« ${value} »`,
  compare(field, order, value) {
    const [column, other] = [folded(columnOf(field)), folded(value)];
    // By code point, so that an order does not depend on how a server's collations were built.
    return order === '=' ? sql`${column} = ${other}` : sql`${column} collate "C" ${signs[order]} ${other}`;
  },
  // A sub-query and not an array: PostgreSQL hashes it, whereas `= any(array computed)` is searched row by row.
  among: (field, values) =>
    sql`${folded(columnOf(field))} in (select facteur.fold(v) from unnest(${values}::text[]) as v)`,
  inOrder: () => true,
};

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

const integer: ValueType = {
  rule: () => 'must be a whole number of 64 bits',
  normalise(given) {
    if (!/^[+-]?\d{1,30}$/.test(given.trim())) return undefined;
    const number = BigInt(given.trim().replace('+', ''));
    return number < int64.min || number > int64.max ? undefined : String(number);
  },
  french: (value) => value,
  // Bare column and typed parameter: an index on the column, or a partial one, serves it.
  compare: (field, order, value) => sql`${columnOf(field)} ${signs[order]} ${value}::bigint`,
  among: (field, values) => sql`${columnOf(field)} = any(${values}::bigint[])`,
  inOrder: (a, b) => BigInt(a) <= BigInt(b),
};

const date: ValueType = {
  rule: () => 'must be a date, yyyy-MM-dd or yyyy-MM-ddTHH:mm[:ss]',
  normalise: (given) => (readPeriod(given.trim()) ? given.trim() : undefined),
  french: (value) => frenchPeriod(value),
  compare(field, order, value) {
    const column = columnOf(field);
    const period = periodOf(value);
    const [start, end] = [instant(period.start), instant(period.end)];
    if (order === '=') return sql`(${column} >= ${start} and ${column} < ${end})`;
    if (order === '<') return sql`${column} < ${start}`;
    if (order === '<=') return sql`${column} < ${end}`;
    return sql`${column} >= ${order === '>' ? end : start}`;
  },
  // One multirange, which PostgreSQL searches by halves and joins where periods overlap.
  among(field, values) {
    const periods = values
      .map(periodOf)
      .map(({ start, end }) => `[${start.toISOString()},${end.toISOString()})`);
    return sql`${columnOf(field)} <@ ${`{${periods.join(',')}}`}::tstzmultirange`;
  },
  inOrder: (a, b) => periodOf(a).start <= periodOf(b).start,
};

function periodOf(value: string): Period {
  const period = readPeriod(value);
  if (!period) throw new Error(`A stored filter holds a date that cannot be read: ${value}`);
  return period;
}

const list: ValueType = {
  rule: (field) => `must be one of the list's keys: ${(field.list ?? []).map((one) => one.key).join(', ')}`,
  normalise(given, field) {
    const key = integer.normalise(given, field);
    return field.list?.some((one) => String(one.key) === key) ? key : undefined;
  },
  french: (value, field) => `« ${field.list?.find((one) => String(one.key) === value)?.value ?? value} »`,
  compare: (field, order, value) => sql`${columnOf(field)} ${signs[order]} ${value}::int`,
  among: (field, values) => sql`${columnOf(field)} = any(${values}::int[])`,
  inOrder: (a, b) => integer.inOrder(a, b),
};

const boolean: ValueType = {
  rule: () => 'must be true, false, 1 or 0',
  normalise(given) {
    const word = given.trim().toLowerCase();
    if (word === 'true' || word === '1') return 'true';
    return word === 'false' || word === '0' ? 'false' : undefined;
  },
  french: (value) => (value === 'true' ? 'oui' : 'non'),
  // Field 8 is kept as 0 and 1.
  compare: (field, order, value) =>
    field.id === 8
      ? sql`${columnOf(field)} ${signs[order]} ${value === 'true' ? 1 : 0}::bigint`
      : sql`${columnOf(field)} ${signs[order]} ${value === 'true'}::boolean`,
  among: (field, values) =>
    sql`(${join(
      values.map((value) => boolean.compare(field, '=', value)),
      ' or ',
    )})`,
  inOrder: () => true,
};

export const valueTypes: Readonly<Record<FieldType, ValueType>> = {
  Text: text,
  Integer: integer,
  Date: date,
  List: list,
  Boolean: boolean,
};
