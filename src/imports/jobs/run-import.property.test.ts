import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import {
  type ModelField,
  type ModelFile,
  type ModelSubscriber,
  modelImport,
} from '../../testing/import-model.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import type { ImportParameters } from '../import.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

// Few values, so that they collide in every way; a bad one for each kind.
const cells: Record<ModelField, readonly string[]> = {
  0: ['1', '2', '3', '4', '9', '', 'x'],
  1: [...['a', 'b', 'c', 'd', 'e', 'f', 'A', 'B'].map((name) => `${name}@example.com`), 'nobody'],
  43: ['1', '2', '3', '4', '+4', '', 'x'],
  101: ['X', 'Y', 'Z', 'x', ''],
  102: ['1', '2', '3', '4', ''],
};

const known = fc
  .uniqueArray(
    fc.record({
      1: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'),
      43: fc.constantFrom(null, 1, 2, 3),
      101: fc.constantFrom(null, 'X', 'Y', 'Z'),
      102: fc.constantFrom(null, 1, 2, 3),
    }),
    {
      maxLength: 4,
      comparator: (one, other) => one[1] === other[1] || (one[43] !== null && one[43] === other[43]),
    },
  )
  .map((all) => all.map((one, i): ModelSubscriber => ({ ...one, 0: i + 1 })));

const others: readonly ModelField[] = [1, 43, 101, 102];

/** A file by a key: its column and some others. */
const fileBy = (key: ModelField): fc.Arbitrary<ModelFile> =>
  fc
    .shuffledSubarray(
      others.filter((id) => id !== key),
      { minLength: 1 },
    )
    .chain((beside) => {
      const columns = [key, ...beside];
      const row = fc.tuple(...columns.map((id) => fc.constantFrom(...cells[id])));
      const long = row.map((all) => [...all, 'more']);
      return fc.record({
        key: fc.constant(key),
        columns: fc.constant(columns),
        rows: fc.array(fc.oneof({ weight: 30, arbitrary: row }, { weight: 1, arbitrary: long }), {
          maxLength: 14,
        }),
        insertEnabled: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
        safeMode: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
      });
    });

async function seed(before: readonly ModelSubscriber[]): Promise<void> {
  for (const one of before) {
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld43, fld101, fld102)
      values (${one[1]}, ${one[43]}, ${one[101]}, ${one[102]})`);
  }
}

async function importBeside(before: readonly ModelSubscriber[], file: ModelFile): Promise<void> {
  await tester.clear();
  await seed(before);
  const { key, columns, rows, insertEnabled, safeMode } = file;
  const text = [columns.map((id) => `c${id}`), ...rows].map((row) => `${row.join(';')}\n`).join('');
  const log = await tester.import(text, {
    keyDbFieldName: `fld${key}`,
    columnMapping: columns.map((id) => column(id, `c${id}`)),
    insertEnabled,
    safeMode,
  });
  const model = modelImport(before, file);
  expect(log).toMatchObject({
    ...model.counters,
    badFormattedRowNumbers: [...model.refused.keys()].join(','),
  });
  expect(reasons()).toEqual(
    new Map([...model.refused].map(([line, why]) => [line, expect.stringContaining(why)])),
  );
  const after = await t.db.rows(
    sql`select fld0, fld1, fld43::int, fld101, fld102::int from ${t.db.t.subscriber} order by fld0`,
  );
  expect(after.map((one) => Object.values(one))).toEqual(
    model.after.map((one) => [one[0], one[1], one[43], one[101], one[102]]),
  );
}

/** The reasons of the error file by their lines. */
function reasons(): Map<number, string> {
  if (!existsSync(join(tester.folder, 'people.csv.errors.csv'))) return new Map();
  const lines = tester.errorFile().trimEnd().split('\r\n').slice(1);
  return new Map(
    lines.map((line) => {
      const [row, reason] = line.split(';').slice(-2);
      return [Number(row), reason ?? ''];
    }),
  );
}

describe('an import leaves what its rows leave one by one', () => {
  it.each<[ModelField, number]>([
    [1, 120],
    [43, 120],
    [0, 120],
    [101, 120],
    [102, 60],
  ])(
    'by fld%i',
    async (key, numRuns) => {
      await fc.assert(
        fc.asyncProperty(known, fileBy(key), (before, file) => importBeside(before, file)),
        { numRuns },
      );
    },
    120_000,
  );
});

describe('a rejected row masks no valid one', () => {
  const before: ModelSubscriber[] = [
    { 0: 1, 1: 'a@example.com', 43: 1, 101: null, 102: null },
    { 0: 2, 1: 'b@example.com', 43: 2, 101: null, 102: null },
  ];
  const byClient = { keyDbFieldName: 'fld43', columnMapping: [column(43, 'client'), column(1, 'email')] };
  const byCode = {
    keyDbFieldName: 'fld101',
    columnMapping: [column(101, 'code'), ...byClient.columnMapping],
  };

  // What is left of the addresses by client id, drawn by hand beside the model.
  test.each<[string, string, object, Partial<ImportParameters>?, string?]>([
    [
      'when its address is a subscriber’s',
      '1;z@example.com 1;b@example.com',
      { 1: 'z@example.com', 2: 'b@example.com' },
    ],
    [
      'when its address stands above under another key',
      '1;z@example.com 2;y@example.com 2;Z@example.com',
      { 1: 'z@example.com', 2: 'y@example.com' },
    ],
    [
      'nor does it keep its address from a row below',
      '3;b@example.com 3;x@example.com 4;w@example.com 4;x@example.com',
      { 1: 'a@example.com', 2: 'b@example.com', 3: 'x@example.com', 4: 'w@example.com' },
    ],
    [
      'when two swap their addresses: both keep theirs',
      '1;b@example.com 2;a@example.com',
      { 1: 'a@example.com', 2: 'b@example.com' },
    ],
    [
      'when its address is freed by the same file: that holds from the next import on',
      '1;z@example.com 3;a@example.com 2;a@example.com',
      { 1: 'z@example.com', 2: 'b@example.com' },
    ],
    [
      'when a row between had the address: its key gave it up below',
      '3;x@example.com 4;x@example.com 3;y@example.com',
      { 1: 'a@example.com', 2: 'b@example.com', 3: 'y@example.com' },
      byClient,
      '3',
    ],
    [
      'when its address was given up above',
      '3;x@example.com 3;y@example.com 4;w@example.com 4;x@example.com',
      { 1: 'a@example.com', 2: 'b@example.com', 3: 'y@example.com', 4: 'x@example.com' },
      byClient,
      '',
    ],
    [
      'when nobody may be inserted: who is not known takes no address',
      '3;x@example.com 1;x@example.com',
      { 1: 'x@example.com', 2: 'b@example.com' },
      { insertEnabled: false },
    ],
    [
      'in a chain: a row that is refused for its client id does not keep its address',
      'A;3;x@example.com B;3;y@example.com C;5;y@example.com D;5;w@example.com E;6;w@example.com',
      { 1: 'a@example.com', 2: 'b@example.com', 3: 'x@example.com', 5: 'y@example.com', 6: 'w@example.com' },
      byCode,
      '3,5',
    ],
  ])('%s', async (_what, rows, left, parameters = byClient, bad) => {
    await seed(before);
    const mapped = { ...byClient, ...parameters };
    const names = mapped.columnMapping.map(({ fileColumnName }) => fileColumnName).join(';');
    const log = await tester.import(`${names}\n${rows.replaceAll(' ', '\n')}\n`, mapped);
    const people = await tester.people(sql`fld43::int as client, fld1 as email`);
    expect(Object.fromEntries(people.map(({ client, email }) => [client, email]))).toEqual(left);
    if (bad !== undefined) expect(log.badFormattedRowNumbers).toBe(bad);
  });
});
