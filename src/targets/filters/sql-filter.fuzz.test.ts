import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '../../fields/field.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import type { Row } from '../../testing/field-filter-model.ts';
import { filterSite } from '../../testing/filter-site.ts';
import { anySqlSample } from '../../testing/sql-filter-model.ts';
import { TimeLimit } from '../evaluation.ts';
import { selectByExpressions } from '../user-expression.ts';
import { sqlFilter } from './sql-filter.ts';
import { type SqlParser, sqlParser } from './sql-parser.ts';

let t: TestApp;
let db: SiteDb;
let parser: SqlParser;
let fields: Map<number, Field>;
const texts = ['Zoé', 'a%b', 'axb', '10', "l'été", 'a\\b', null];
const numbers = [-5, 0, 1, 7, 42, 1000, null];
const rows: Row[] = Array.from(
  { length: 60 },
  (_, i): Row =>
    new Map<number, string | number | boolean | null>([
      [101, texts[i % texts.length]!],
      [102, numbers[(i * 5 + Math.floor(i / 7)) % numbers.length]!],
      [104, [true, false, null][i % 3]!],
    ]) as Row,
);

beforeAll(async () => {
  t = await testApp({ operations: [] });
  db = t.db;
  parser = await sqlParser();
  fields = await addCustomFields(db);
  for (const [i, row] of rows.entries()) {
    const value = (id: number) => row.get(id) ?? null;
    await db.run(sql`
      insert into ${db.t.subscriber} (fld0, fld1, fld101, fld102, fld104)
      values (${i + 1}, ${`s${i + 1}@example.org`}, ${value(101)}, ${value(102)}, ${value(104)})`);
  }
});
afterAll(() => t.close());

const compile = (text: string): Sql =>
  sqlFilter.compile({ sql: text }, filterSite({ fields, sqlParser: parser }));

/** The ids that an expression selects in a target; undefined if PostgreSQL rejects it. */
async function run(condition: Sql): Promise<number[] | undefined> {
  const expressions = [{ idTarget: 1, expression: condition }];
  try {
    const selected = await selectByExpressions(
      t.app,
      db,
      undefined,
      expressions,
      { fields, sqlParser: parser },
      new TimeLimit(2_000),
    );
    const found = await db.rows<{ fld0: number }>(sql`
      select fld0 from ${db.t.subscriber} where ${selected.get(condition.text)!} order by fld0`);
    return found.map((row) => row.fld0);
  } catch (error) {
    // Mistakes of types and values. Anything else, above all a plan that reaches further, fails the test.
    if ([409, 422].includes((error as { status?: number }).status ?? 0)) return undefined;
    throw error;
  }
}

test('an expression means by SQL what the same means in plain TypeScript', async () => {
  await fc.assert(
    fc.asyncProperty(anySqlSample, async (sample) => {
      const expected = rows.flatMap((row, i) => (sample.holds(row) === true ? [i + 1] : []));
      expect(await run(compile(sample.sql))).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

/** Pieces that are refused anywhere in an expression. */
const hostilePieces = [
  '(select 1)',
  '(select fld0 from site_other.subscriber limit 1)',
  '(select count(*) from pg_authid)',
  'exists (select from facteur.token)',
  'pg_sleep(60)',
  "set_config('role', 'postgres', false)",
  "query_to_xml('delete from subscriber', true, true, '')",
  "pg_read_file('/etc/passwd')",
  "nextval('subscriber_fld0_seq')",
  'pg_advisory_lock(1)',
  "lo_from_bytea(0, 'a')",
  "'pg_authid'::regclass",
  "repeat('a', 1000000000)",
  "fld101 ~ '(a+)+$'",
  'current_user',
  'ctid',
  'facteur.subscriber.fld1',
  '$1',
  'random()',
  'count(*)',
  'row(1, 2)',
  "array(select 'a')",
  '/* */ 1',
];

interface Written {
  readonly text: string;
  readonly isHostile: boolean;
}

const joined = (parts: readonly string[], inside: readonly Written[]): Written => ({
  text: parts.map((part, i) => part + (inside[i]?.text ?? '')).join(''),
  isHostile: inside.some((one) => one.isHostile),
});

/** Any expression, sound in types or not, some with a piece that may not be in it. */
const anyWritten: fc.Arbitrary<Written> = fc.letrec<{ any: Written }>((tie) => {
  const around = (...parts: string[]) =>
    fc.tuple(...parts.slice(1).map(() => tie('any'))).map((inside) => joined(parts, inside));
  return {
    any: fc.oneof(
      { depthSize: 'medium' },
      {
        weight: 20,
        arbitrary: fc
          .constantFrom(
            'fld0',
            'fld101',
            'fld102',
            'fld103',
            'fld104',
            '1',
            "'a'",
            'null',
            'true',
            'now()',
            '0.5',
          )
          .map((text) => ({ text, isHostile: false })),
      },
      { weight: 1, arbitrary: fc.constantFrom(...hostilePieces).map((text) => ({ text, isHostile: true })) },
      ...['=', '<>', '<', '+', '-', '*', '/', '||', ' and ', ' or ', ' like ', ' is distinct from '].map(
        (sign) => ({
          weight: 1,
          arbitrary: around('(', ` ${sign} `, ')'),
        }),
      ),
      { weight: 2, arbitrary: around('(not ', ')') },
      { weight: 2, arbitrary: around('(', ' in (', ', ', '))') },
      { weight: 2, arbitrary: around('(', ' between ', ' and ', ')') },
      { weight: 1, arbitrary: around('(- ', ')') },
      { weight: 2, arbitrary: around('(', ' is null)') },
      { weight: 1, arbitrary: around('coalesce(', ', ', ')') },
      { weight: 1, arbitrary: around('case when ', ' then ', ' else ', ' end') },
      { weight: 1, arbitrary: around('lower(', ')') },
      { weight: 1, arbitrary: around('substr(', ', ', ')') },
      { weight: 1, arbitrary: around('cast(', ' as text)') },
      { weight: 1, arbitrary: around('(', ')::date') },
      { weight: 1, arbitrary: around('(', ' = any (array[', ', ', ']))') },
    ),
  };
}).any;

const statusOf = (text: string): number | 'read' => {
  try {
    compile(text);
    return 'read';
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === undefined) throw error;
    return status;
  }
};

test('no expression with a piece of another place is read, and none that is read leaves the subscribers', async () => {
  let [refused, ran] = [0, 0];
  await fc.assert(
    fc.asyncProperty(anyWritten, async ({ text, isHostile }) => {
      const status = statusOf(text);
      if (isHostile) {
        refused++;
        expect(status).toBe(409);
      } else if (status === 'read') {
        const ids = await run(compile(text));
        if (ids) ran++;
        expect(ids ?? []).toEqual((ids ?? []).filter((id) => id >= 1 && id <= rows.length));
      }
    }),
    { numRuns: 3_000 },
  );
  // The generator has to reach both ends, or nothing was shown.
  expect(refused).toBeGreaterThan(100);
  expect(ran).toBeGreaterThan(100);
});

const words = [
  ...[
    'select',
    'from',
    'where',
    'union',
    'or',
    'and',
    'not',
    'is',
    'null',
    'in',
    'like',
    'between',
    'case',
    'when',
  ],
  ...[
    'then',
    'end',
    'cast',
    'as',
    'exists',
    'any',
    'array',
    'row',
    'over',
    'filter',
    'within',
    'group',
    'order by',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    ',',
    ';',
    '.',
    '*',
    '=',
    '<>',
    '||',
    '::',
    '--',
    '/*',
    '*/',
    "'",
    '"',
    '$$',
    '\\',
    '%',
    ':=',
  ],
  ...[
    'fld0',
    'fld1',
    'fld101',
    'subscriber',
    'pg_sleep',
    'lower',
    'set_config',
    '1',
    "'a'",
    'text',
    'regclass',
  ],
  ...[
    'U&',
    "E'\\''",
    'collate',
    'at time zone',
    'interval',
    'xmlparse',
    'grouping',
    'default',
    'table',
    '$1',
    'é',
  ],
];

test('any words in any order are refused with a text, or read as a condition on the subscribers', async () => {
  const before = await db.rows(sql`select * from ${db.t.subscriber} order by fld0`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3, unit: 'binary' })), {
        maxLength: 12,
      }),
      async (parts) => {
        const text = parts.join(' ').trim();
        if (text === '' || /[\0\p{Surrogate}]/u.test(text)) return;
        if (statusOf(text) === 'read') await run(compile(text));
      },
    ),
    { numRuns: 5_000 },
  );
  expect(await db.rows(sql`select * from ${db.t.subscriber} order by fld0`)).toEqual(before);
});
