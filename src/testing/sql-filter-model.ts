import fc from 'fast-check';
import type { Row } from './field-filter-model.ts';

/** An expression of a SQL filter, and what it means in SQL's three values; null is unknown. */
export interface SqlSample {
  readonly sql: string;
  holds(row: Row): boolean | null;
}

const not = (a: boolean | null) => (a === null ? null : !a);
const and = (a: boolean | null, b: boolean | null) =>
  a === false || b === false ? false : a === null || b === null ? null : true;

/** Unknown when any of the values is. */
const known =
  <T>(id: number, test: (value: T) => boolean) =>
  (row: Row): boolean | null => {
    const value = row.get(id) ?? null;
    return value === null ? null : test(value as T);
  };

const texts = ['Zoé', 'a%b', 'axb', '10', "l'été", 'a\\b'];
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Conditions on fields 101 (Text), 102 (Integer) and 104 (Boolean). */
const conditions: fc.Arbitrary<SqlSample> = fc.oneof(
  fc.constantFrom('=', '<>', '<', '>=').chain((sign) =>
    fc.integer({ min: -6, max: 50 }).map((n) => ({
      sql: `fld102 ${sign} ${n}`,
      holds: known<number>(102, (x) => ({ '=': x === n, '<>': x !== n, '<': x < n, '>=': x >= n })[sign]!),
    })),
  ),
  fc.constantFrom(101, 102, 104).map((id) => ({
    sql: `fld${id} is not null`,
    holds: (row: Row) => (row.get(id) ?? null) !== null,
  })),
  fc.constant({ sql: 'fld104', holds: known<boolean>(104, (x) => x) }),
  fc.constant({ sql: 'fld104 is not true', holds: (row: Row) => row.get(104) !== true }),
  fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 }).map((list) => ({
    sql: `fld101 in (${list.map(quoted).join(', ')})`,
    holds: known<string>(101, (x) => list.includes(x)),
  })),
  fc.constant({ sql: "fld101 like 'a_b'", holds: known<string>(101, (x) => /^a.b$/s.test(x)) }),
  fc.constant({ sql: "coalesce(fld101, '') = ''", holds: (row: Row) => (row.get(101) ?? '') === '' }),
  fc.tuple(fc.integer({ min: -6, max: 10 }), fc.integer({ min: 0, max: 1000 })).map(([low, high]) => ({
    sql: `fld102 + 1 between ${low} and ${high}`,
    holds: known<number>(102, (x) => x + 1 >= low && x + 1 <= high),
  })),
  fc.integer({ min: 1, max: 3 }).map((n) => ({
    sql: `mod(fld102, 4) = ${n} or length(fld101) > ${n + 1}`,
    holds: (row: Row) => {
      const [one, other] = [
        known<number>(102, (x) => x % 4 === n)(row),
        known<string>(101, (x) => [...x].length > n + 1)(row),
      ];
      return not(and(not(one), not(other)));
    },
  })),
);

/** Conditions joined without care for precedence, except as the text says. */
export const anySqlSample: fc.Arbitrary<SqlSample> = fc.letrec<{ sample: SqlSample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    conditions,
    tie('sample').map((a) => ({ sql: `not (${a.sql})`, holds: (row: Row) => not(a.holds(row)) })),
    fc.tuple(tie('sample'), tie('sample')).map(([a, b]) => ({
      sql: `(${a.sql}) and (${b.sql})`,
      holds: (row: Row) => and(a.holds(row), b.holds(row)),
    })),
    fc.tuple(tie('sample'), tie('sample')).map(([a, b]) => ({
      sql: `(${a.sql}) OR (${b.sql})`,
      holds: (row: Row) => not(and(not(a.holds(row)), not(b.holds(row)))),
    })),
    tie('sample').map((a) => ({
      sql: `case when ${a.sql} then false else true end`,
      holds: (row: Row) => a.holds(row) !== true,
    })),
  ),
})).sample;
