import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { base, column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import type { DryRun } from '../dry-run.ts';
import { type ImportCounters, type ImportLog, type ImportParameters, noCounters } from '../import.ts';

/** The fields that the model knows, by id; those of `customFields` among them. */
type ModelField = 0 | 1 | 43 | 101 | 102;

/** A subscriber: values by field id. */
type ModelSubscriber = Readonly<Record<ModelField, string | number | null>>;

interface ModelFile {
  readonly key: ModelField;
  /** The fields of the columns, in their order. */
  readonly columns: readonly ModelField[];
  /** Texts of the cells; the first row is line 2. */
  readonly rows: readonly (readonly string[])[];
  readonly insertEnabled: boolean;
  readonly safeMode: boolean;
}

interface ModelOutcome {
  readonly counters: ImportCounters;
  /** Why a line is refused. */
  readonly refused: ReadonlyMap<number, string>;
  readonly after: readonly ModelSubscriber[];
}

type Values = Partial<Record<ModelField, string | number | null>>;
type Row = { readonly line: number; readonly values: Values };

/**
 * What an import does, written as slowly and plainly as can be: row after row, each beside those that hold so far. A
 * row is refused for itself, for whom it finds, and for an address or client id that another caller had before the
 * import or that a row above has brought for another key. One that is not refused takes the place of its key's row
 * above.
 */
function modelImport(before: readonly ModelSubscriber[], file: ModelFile): ModelOutcome {
  const { key, columns, insertEnabled } = file;
  const refused = new Map<number, string>();
  const sound: Row[] = [];
  let nbBadFormattedRows = 0;
  for (const [i, cells] of file.rows.entries()) {
    const line = i + 2;
    const row = { line, values: {} as Values };
    if (cells.length !== columns.length) nbBadFormattedRows++;
    const fault = cells.length === columns.length ? readInto(row.values, cells, file) : 'columns';
    const reason = fault ?? whyRefused(before, sound, row, file);
    if (reason !== undefined) refused.set(line, reason);
    else sound.push(row);
  }
  const winners = sound.filter(
    (row, i) => !sound.slice(i + 1).some((later) => keyOf(later, key) === keyOf(row, key)),
  );
  const found = winners.map((row) => findAll(before, row, key)[0]);
  const isHeld = file.safeMode && refused.size > 0;
  const after = before.map((known) => {
    const at = found.indexOf(known);
    return at < 0 ? known : { ...known, ...winners[at]!.values, [key]: known[key] };
  });
  const added = winners
    .filter((_, i) => !found[i])
    .map(({ values }, i) => ({
      1: null,
      43: null,
      101: null,
      102: null,
      ...values,
      0: before.length + 1 + i,
    }));
  const totalInserts = added.length;
  const counters = {
    totalRows: file.rows.length,
    totalDuplicateKeys: sound.length - winners.length,
    nbValidations: sound.length,
    nbErrorRows: refused.size - nbBadFormattedRows,
    nbBadFormattedRows,
    totalUpdates: winners.length - totalInserts,
    nbUpdates: isHeld ? 0 : after.filter((one, i) => !isSame(one, before[i]!)).length,
    totalInserts,
    nbInserts: isHeld || !insertEnabled ? 0 : totalInserts,
    nbForbiddenInserts: insertEnabled ? 0 : totalInserts,
  };
  return { counters, refused, after: isHeld ? before : [...after, ...(insertEnabled ? added : [])] };
}

const isSame = (one: ModelSubscriber, other: ModelSubscriber) =>
  ([1, 43, 101, 102] as const).every((id) => one[id] === other[id]);

/** How a value is compared: addresses ignoring case. */
const folded = (id: ModelField, value: string | number | null | undefined) =>
  id === 1 && typeof value === 'string' ? value.toLowerCase() : (value ?? null);

const keyOf = ({ values }: Row, key: ModelField) => folded(key, values[key]);

const findAll = (before: readonly ModelSubscriber[], row: Row, key: ModelField) =>
  before.filter((one) => folded(key, one[key]) === keyOf(row, key));

function readInto(values: Values, cells: readonly string[], { key, columns }: ModelFile): string | undefined {
  for (const [i, id] of columns.entries()) {
    const cell = cells[i]!;
    if (id === 1 && !cell.includes('@')) return 'Field 1';
    if (cell === '' && id === key) return `Field ${id}`;
    if (id !== 1 && id !== 101 && cell !== '' && !/^\+?\d+$/.test(cell)) return `Field ${id}`;
    values[id] = cell === '' ? null : id === 1 || id === 101 ? cell : Number(cell);
  }
  return undefined;
}

function whyRefused(
  before: readonly ModelSubscriber[],
  above: readonly Row[],
  row: Row,
  { key, columns, insertEnabled }: ModelFile,
): string | undefined {
  const found = findAll(before, row, key);
  if (found.length > 1) return `${found.length} subscribers have this key`;
  if (found.length === 0) {
    // It is only counted, and takes nothing from anybody.
    if (!insertEnabled) return undefined;
    if (key === 0) return 'no subscriber has this identifier';
    if (!columns.includes(1)) return 'email to insert not found';
  }
  const holding = above.filter(
    (one, i) => !above.slice(i + 1).some((next) => keyOf(next, key) === keyOf(one, key)),
  );
  const taken = columns.filter(
    (id): id is 1 | 43 => (id === 1 || id === 43) && id !== key && row.values[id] !== null,
  );
  const name = (id: 1 | 43) => (id === 1 ? 'email address' : 'client identifier');
  for (const id of taken) {
    const value = folded(id, row.values[id]);
    const other = before.find((one) => one !== found[0] && folded(id, one[id]) === value);
    if (other) return `the ${name(id)} belongs to subscriber ${other[0]}`;
  }
  for (const id of taken) {
    const value = folded(id, row.values[id]);
    const first = holding.find(
      (one) =>
        folded(id, one.values[id]) === value &&
        keyOf(one, key) !== keyOf(row, key) &&
        (insertEnabled || findAll(before, one, key).length > 0),
    );
    if (first) return `the ${name(id)} is already in row ${first.line}`;
  }
  return undefined;
}

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
  const parameters = {
    ...base,
    keyDbFieldName: `fld${key}`,
    columnMapping: columns.map((id) => column(id, `c${id}`)),
    insertEnabled,
    safeMode,
  };
  tester.put(text);
  const { data } = await t.call('POST', '/imports/dry-run', { body: { parameters } });
  const log = await tester.import(text, parameters);
  expectForeseen(data as DryRun, log);
  await expectRecorded(before, log);
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

/** The people of an import are as many as its log counts, each of one kind; the new ones were not known. */
async function expectRecorded(before: readonly ModelSubscriber[], log: ImportLog): Promise<void> {
  const { totalUpdates, nbUpdates, nbInserts } = log;
  const { t: tables } = t.db;
  const rows = await t.db.rows<{ kind: string; id: number }>(sql`
    select kind, n as id from ${tables.import_people} p join ${tables.import_log} l using (id_import, run)
      cross join lateral unnest(people) r cross join lateral generate_series(lower(r), upper(r) - 1) n
    where l.id = ${log.id}`);
  const ids = (kind: string) => rows.filter((one) => one.kind === kind).map(({ id }) => id);
  const isHeld = log.errorMessage !== null;
  expect([ids('new').length, ids('changed').length]).toEqual([nbInserts, nbUpdates]);
  expect(ids('unchanged')).toHaveLength(isHeld ? 0 : totalUpdates - nbUpdates);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const known = new Set(before.map((one) => one[0]));
  expect(rows.filter(({ kind, id }) => known.has(id) === (kind === 'new'))).toEqual([]);
}

/** A dry run before an import says what the import does. */
function expectForeseen(foreseen: DryRun, log: ImportLog): void {
  const counted = Object.keys(noCounters()) as (keyof ImportCounters)[];
  const ofThem = (one: ImportCounters) => counted.map((name) => [name, one[name]]);
  expect(ofThem(foreseen)).toEqual(ofThem(log));
  expect(foreseen.rejectedRows.map(({ row, reason }) => [row, reason])).toEqual([...reasons()].sort(byRow));
}

const byRow = ([a]: [number, string], [b]: [number, string]) => a - b;

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
