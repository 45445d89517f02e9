import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conditionTest } from '../../contents/tag-condition.ts';
import type { Field } from '../../fields/field.ts';
import { type FieldOperatorName, operatorNames, operatorOf } from '../../fields/field-operator.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields, customFields } from '../../testing/custom-fields.ts';
import { type Entry, type Row, selects } from '../../testing/field-filter-model.ts';
import { filterSite } from '../../testing/filter-site.ts';
import { fieldFilter } from './field-filter.ts';

let app: TestApp;
let db: SiteDb;
let fields: Map<number, Field>;
const now = new Date('2026-11-20T10:00:00Z');

beforeAll(async () => {
  app = await testApp({ operations: [] });
  db = app.db;
  fields = await addCustomFields(db);
  await insert(rows);
});
afterAll(() => app.close());

/** Ids that the filter selects, ascending. */
async function idsOf(filters: readonly Entry[], at = now): Promise<number[]> {
  const site = filterSite({ fields, now: at });
  const definition = fieldFilter.parse({ filters: [...filters] }, site);
  const condition = fieldFilter.compile(definition!, site);
  const found = await db.rows<{ fld0: number }>(
    sql`select fld0 from ${db.t.subscriber} where ${condition} order by fld0`,
  );
  return found.map((row) => row.fld0);
}

async function insert(given: readonly Row[]): Promise<void> {
  for (const [i, row] of given.entries()) {
    const value = (id: number) => row.get(id) ?? null;
    await db.run(sql`
      insert into ${db.t.subscriber} (fld0, fld1, fld7, fld8, fld101, fld102, fld103, fld104, fld105)
      values (${i + 1}, ${`s${i + 1}@example.org`}, ${value(7)}, ${value(8)}, ${value(101)}, ${value(102)},
              ${value(103)}, ${value(104)}, ${value(105)})`);
  }
}

const texts = [
  'Élodie',
  'elodie',
  'ELODIE',
  'Eloïse',
  'a%b',
  'a_b',
  'axb',
  'é',
  'Zoé',
  'a\\b',
  '10',
  'NOËL',
  'ΣΑΣ',
  'ﬁn',
  '№ 5',
];
const integers = [-5, 0, 1, 7, 42, 1000];
const instants = [
  '1904-02-29T12:00:00Z',
  '1990-11-20T08:00:00Z',
  '1991-11-19T23:00:00Z',
  '2024-02-28T23:30:00Z',
  '2026-03-28T22:59:59Z',
  '2026-03-28T23:00:00Z',
  '2026-03-29T21:59:59.999Z',
  '2026-03-29T22:00:00Z',
  '2026-10-25T00:30:00Z',
  '2026-10-25T22:59:00Z',
  '2026-11-13T10:30:00Z',
  '2026-11-18T23:00:00Z',
  '2026-11-19T22:59:59Z',
  '2026-11-19T23:00:00Z',
  '2026-11-20T09:30:00Z',
  '2026-11-20T09:30:59.999Z',
  '2026-11-20T09:31:00Z',
  '2026-11-20T22:59:59Z',
  '2026-11-20T23:00:00Z',
  '2026-11-27T22:00:00Z',
  '2027-02-01T00:00:00Z',
];
const dates = [
  '2026-03-29',
  '2026-11-19',
  '2026-11-20',
  '2026-11-20T10:30',
  '2026-11-20T10:30:59',
  '1990-11-20',
];

const orNull = <T>(values: readonly T[]) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: fc.constantFrom(...values) });

const anyRow: fc.Arbitrary<Row> = fc
  .record({
    7: fc.constantFrom(0, 1),
    8: orNull([0, 1]),
    101: orNull(texts),
    102: orNull(integers),
    103: orNull(instants).map((iso) => iso && new Date(iso)),
    104: orNull([true, false]),
    105: orNull([1, 2, -3]),
  })
  .map((row) => new Map(Object.entries(row).map(([id, value]) => [Number(id), value])));

// One set of rows for all filters; the seed is fixed so that a failure's filter can be retried on the same rows.
const rows = fc.sample(anyRow, { numRuns: 300, seed: 20261120 });

const valuesOf: Record<Field['fieldType'], readonly string[]> = {
  Text: texts,
  Integer: integers.map(String),
  Date: dates,
  Boolean: ['true', 'false', '0', '1'],
  List: ['1', '2', '-3'],
};

function anyValue(field: Field, operator: FieldOperatorName): fc.Arbitrary<string | null> {
  const one = fc.constantFrom(...valuesOf[field.fieldType]);
  switch (operatorOf(operator).takes) {
    case 'none':
      return fc.constant(null);
    case 'days':
      return fc.constantFrom('0', '1', '7', '400');
    case 'one':
      return one;
    case 'many':
      return fc.array(one, { minLength: 1, maxLength: 12 }).map((values) => values.join(';'));
    case 'two':
      return fc.tuple(one, one).map((pair) => pair.sort((a, b) => ascending(field, a, b)).join(';'));
  }
}

function ascending({ fieldType }: Field, a: string, b: string): number {
  return fieldType === 'Integer' ? Number(a) - Number(b) : a < b ? -1 : 1;
}

const filterable = [
  { id: 7, fieldType: 'Integer' } as Field,
  { id: 8, fieldType: 'Boolean' } as Field,
  ...customFields,
];

const anyEntry: fc.Arbitrary<Entry> = fc
  .constantFrom(...filterable)
  .chain((field) => {
    const fitting = operatorNames.filter((name) => operatorOf(name).types.includes(field.fieldType));
    const values = field.id === 7 ? { ...field, fieldType: 'Boolean' as const } : field;
    return fc.constantFrom(...fitting).chain((operator) =>
      anyValue(values, operator).map((value) => ({
        idField: field.id,
        operator,
        // The status has 0 and 1 only, which are not words in an Integer.
        value: field.id === 7 && value ? value.replaceAll('true', '1').replaceAll('false', '0') : value,
      })),
    );
  })
  .filter(({ idField, operator, value }) => idField !== 7 || operator !== 'Between' || value !== '1;0');

const anyNow = fc.constantFrom(
  '2026-11-20T10:00:00Z',
  '2026-11-20T22:59:59Z',
  '2027-02-28T10:00:00Z',
  '2028-02-29T03:00:00Z',
  '2028-02-28T12:00:00Z',
);

test('every field filter selects the same subscribers by SQL, by the model and by a condition in content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 3 }), anyNow, async (filters, iso) => {
      const at = new Date(iso);
      const expected = rows.flatMap((row, i) =>
        filters.every((one) => selects(one, fields.get(one.idField)!, row, at)) ? [i + 1] : [],
      );
      expect(await idsOf(filters, at)).toEqual(expected);
      // A condition in a content means the same for each of them.
      const tests = filters.map(({ idField, operator, value }) => ({
        idField,
        test: conditionTest(fields.get(idField)!, operator, value ?? undefined),
      }));
      const read = rows.flatMap((row, i) =>
        tests.every(({ idField, test }) => test(row.get(idField), at)) ? [i + 1] : [],
      );
      expect(read).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

test.each<[FieldOperatorName, string, readonly string[]]>([
  ['Contains', '%', ['a%b']],
  ['Contains', '_', ['a_b']],
  ['Contains', '\\', ['a\\b']],
  // Folding makes the full-width sign an ordinary one, which must not become a pattern either.
  ['Contains', '％', ['a%b']],
  ['StartsWith', 'A%', ['a%b']],
  ['EndsWith', '%B', ['a%b']],
  ['EndsWith', 'a long text before a%b', []],
  ['Equal', 'noel', ['NOËL']],
  ['In', 'a%b;NOEL', ['NOËL', 'a%b']],
  ['Equal', "' or true --", []],
  ['Contains', "'); drop table subscriber; --", []],
])('%s %j finds the texts %j', async (operator, value, expected) => {
  const ids = new Set(await idsOf([{ idField: 101, operator, value }]));
  const found = rows.flatMap((row, i) => (ids.has(i + 1) ? [row.get(101)] : []));
  expect([...new Set(found)].sort()).toEqual([...expected].sort());
});

test('integers of 64 bits are compared exactly', async () => {
  const big = '9007199254740993';
  await db.run(sql`update ${db.t.subscriber} set fld43 = ${big}::bigint where fld0 = 1`);
  expect(await idsOf([{ idField: 43, operator: 'Equal', value: big }])).toEqual([1]);
  expect(await idsOf([{ idField: 43, operator: 'Equal', value: '9007199254740992' }])).toEqual([]);
});

test('a filter on the status is a comparison that an index on the column serves', () => {
  const site = filterSite({ fields, now });
  const entry = { idField: 7, operator: 'Equal', value: '0' } as const;
  const { text, values } = fieldFilter.compile({ filters: [entry] }, site);
  expect([text, values]).toEqual(['("fld7" = $1::bigint)', ['0']]);
});
