import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeField } from '../../fields/field.ts';
import { insertField } from '../../fields/field-store.ts';
import { raw, sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';

let t: TestApp;
let tester: ImportTester;
/** Takes back what a test has done to the table. */
let mend: string[] = [];
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(async () => {
  for (const statement of mend) await run(statement);
  mend = [];
  await tester.clear();
});

const run = (statement: string) => t.db.run(sql`${raw(statement.replaceAll('{schema}', t.db.site.schema))}`);
async function refuse(statement: string, ...undo: string[]): Promise<void> {
  await run(statement);
  mend.unshift(...undo);
}
/** The table refuses a subscriber named `odd`, like any value that our checks have missed. */
const refuseOdd = () =>
  refuse(
    `alter table {schema}.subscriber add constraint odd check (fld101 not like 'odd%')`,
    'alter table {schema}.subscriber drop constraint odd',
  );
const why = 'PostgreSQL does not take its values (constraint odd, 23514)';
const listed = () =>
  tester
    .errorFile()
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(';').slice(-2).join(';'));
const byClient = [column(1, 'email'), column(101, 'name'), column(43, 'client')];

describe('a row that only PostgreSQL refuses', () => {
  test('is one bad row: all others are imported, known ones and new ones', async () => {
    await refuseOdd();
    for (let i = 0; i < 3_000; i += 2) await tester.add(`u${i}@example.com`, 'before');
    const odd = new Set([0, 1, 1_500, 1_501, 2_999]);
    const rows = Array.from(
      { length: 3_000 },
      (_, i) => `u${i}@example.com;${odd.has(i) ? 'odd' : 'after'}\n`,
    );
    expect(await tester.import(`email;name\n${rows.join('')}`)).toMatchObject({
      totalRows: 3_000,
      nbErrorRows: 5,
      nbUpdates: 1_498,
      nbInserts: 1_497,
      badFormattedRowNumbers: '2,3,1502,1503,3001',
    });
    expect(listed()).toEqual([2, 3, 1_502, 1_503, 3_001].map((row) => `${row};${why}`));
    const names = sql`select fld101 as name, count(*) as nb from ${t.db.t.subscriber} group by 1 order by 1`;
    expect(await t.db.rows(names)).toEqual([
      { name: 'after', nb: 2_995 },
      { name: 'before', nb: 2 },
    ]);
  });

  test('never replaces a valid one above it, and holds nothing', async () => {
    await refuseOdd();
    const text = 'email;name;client\na@example.com;fine;1\na@example.com;odd;2\nb@example.com;fine;2\n';
    expect(await tester.import(text, { columnMapping: byClient })).toMatchObject({
      nbErrorRows: 1,
      nbInserts: 2,
      totalDuplicateKeys: 0,
    });
    expect(listed()).toEqual([`3;${why}`]);
    const people = await tester.people(sql`fld1 as email, fld101 as name, fld43 as client`);
    expect(people).toEqual([
      { email: 'a@example.com', name: 'fine', client: 1 },
      { email: 'b@example.com', name: 'fine', client: 2 },
    ]);
  });

  test('changes nothing in safe mode, and is named', async () => {
    await refuseOdd();
    await tester.add('a@example.com', 'before');
    const text = 'email;name\na@example.com;after\nb@example.com;odd\nc@example.com;fine\n';
    const log = await tester.import(text, { safeMode: true });
    expect(log).toMatchObject({ nbErrorRows: 1, nbInserts: 0, badFormattedRowNumbers: '3' });
    expect(log.errorMessage).toContain('Safe mode');
    expect(listed()).toEqual([`3;${why}`]);
    expect(await tester.people()).toEqual([{ id: 1, email: 'a@example.com', name: 'before' }]);
  });

  test('is not looked for among those who may not be inserted', async () => {
    await refuseOdd();
    await tester.add('a@example.com', 'before');
    const text = 'email;name\na@example.com;odd\nb@example.com;odd\n';
    const log = await tester.import(text, { insertEnabled: false });
    expect(log).toMatchObject({ nbErrorRows: 1, nbForbiddenInserts: 1, badFormattedRowNumbers: '2' });
  });

  test('may be every row, and every row of a key, and then some more', async () => {
    await refuseOdd();
    const many = Array.from({ length: 300 }, (_, i) => `u${i}@example.com;odd\n`);
    const ofOneKey = Array.from({ length: 9 }, (_, i) => `x@example.com;${i === 0 ? 'fine' : `odd${i}`}\n`);
    const log = await tester.import(`email;name\n${many.join('')}${ofOneKey.join('')}fine@example.com;y\n`);
    expect(log).toMatchObject({ totalRows: 310, nbErrorRows: 309, nbInserts: 1 });
    expect(listed().slice(-9)).toEqual([
      ...[302, 303, 304, 305, 306].map(
        (row) => `${row};PostgreSQL does not take row 307, which has the same key`,
      ),
      ...[307, 308, 309, 310].map((row) => `${row};${why}`),
    ]);
  });

  test('is found by what a trigger raises, also by one that waits for the commit', async () => {
    await refuse(
      `create function {schema}.no_odd() returns trigger language plpgsql as
         $$ begin if new.fld101 = 'odd' then raise exception 'no'; end if; return new; end $$`,
      'drop function {schema}.no_odd()',
    );
    const text = 'email;name\na@example.com;odd\nb@example.com;fine\n';
    const reason = '2;PostgreSQL does not take its values (P0001)';
    const triggers = ['trigger odd before insert', 'constraint trigger odd after insert'];
    for (const [i, trigger] of triggers.entries()) {
      const when = i === 1 ? 'deferrable initially deferred' : '';
      const off = 'drop trigger if exists odd on {schema}.subscriber';
      await refuse(
        `create ${trigger} on {schema}.subscriber ${when} for each row execute function {schema}.no_odd()`,
        off,
      );
      expect(await tester.import(text)).toMatchObject({ nbInserts: 1, nbErrorRows: 1 });
      expect(listed()).toEqual([reason]);
      await run(off);
      await t.db.run(sql`delete from ${t.db.t.subscriber}`);
    }
  });

  test('is the second one where the table knows a uniqueness that we do not', async () => {
    await refuse(
      'create unique index one_name on {schema}.subscriber (fld101)',
      'drop index {schema}.one_name',
    );
    const log = await tester.import('email;name\na@example.com;x\nb@example.com;x\nc@example.com;y\n');
    expect(log).toMatchObject({ nbInserts: 2, nbErrorRows: 1 });
    expect(listed()).toEqual(['3;PostgreSQL does not take its values (constraint one_name, 23505)']);
  });

  test('is found while it is copied to the staging table', async () => {
    await refuse(
      `create function {schema}.odd_stage() returns event_trigger language plpgsql as $$
       declare made record;
       begin
         for made in select * from pg_event_trigger_ddl_commands() where object_identity ~ '_stage$' loop
           execute format('alter table %s add check (fld101 <> ''odd'')', made.object_identity);
         end loop;
       end $$`,
      'drop function {schema}.odd_stage()',
    );
    await refuse(
      `create event trigger odd_stage on ddl_command_end when tag in ('CREATE TABLE')
         execute function {schema}.odd_stage()`,
      'drop event trigger odd_stage',
    );
    const rows = Array.from({ length: 20_000 }, (_, i) => `u${i}@example.com;${i === 9_999 ? 'odd' : 'x'}\n`);
    const log = await tester.import(`email;name\nbad;x\n${rows.join('')}`);
    expect(log).toMatchObject({ totalRows: 20_001, nbInserts: 19_999, nbErrorRows: 2 });
    expect(listed()).toEqual([
      '2;column email, Field 1 (Email): not an email address',
      expect.stringMatching(
        /^10002;PostgreSQL does not take its values \(constraint import_\d+_1_stage_.*, 23514\)$/,
      ),
    ]);
  });
});

test('a table that takes each row but not all of them ends the import with a text, and changes nothing', async () => {
  await refuse(
    `create function {schema}.no_two() returns trigger language plpgsql as
       $$ begin if (select count(*) from made) > 1 then raise exception 'no'; end if; return null; end $$`,
    'drop function {schema}.no_two()',
  );
  await refuse(
    `create trigger no_two after insert on {schema}.subscriber referencing new table as made
       for each statement execute function {schema}.no_two()`,
    'drop trigger no_two on {schema}.subscriber',
  );
  tester.put('email;name\na@example.com;x\nb@example.com;y\n');
  const done = await tester.run((await tester.make({})).id);
  expect(done.importState).toBe('PackageErrorCreation');
  expect(done.lastImportLog!.errorMessage).toMatch(/^A value does not fit its table/);
  expect(await tester.people()).toEqual([]);
  expect(await tester.stages()).toEqual([]);
});

test('keys that are longer than an index takes find their subscribers where an address is contested', async () => {
  await insertField(t.db, 400, (id) => makeField(id, { name: 'Long', fieldType: 'Text', length: 10_000 }));
  // Text that PostgreSQL cannot make shorter.
  const long = (seed: number) =>
    Array.from({ length: 6_000 }, (_, i) => ((Math.imul(i + seed, 2_654_435_761) >>> 8) % 0x5000) + 0x4e00)
      .map((code) => String.fromCodePoint(code))
      .join('');
  const parameters = { keyDbFieldName: 'fld106', columnMapping: [column(106, 'key'), column(1, 'email')] };
  const text = `key;email\n${long(1)};a@example.com\n${long(2)};a@example.com\n${long(3)};c@example.com\n`;
  expect(await tester.import(text, parameters)).toMatchObject({ nbInserts: 2, nbErrorRows: 1 });
  expect(listed()).toEqual(['3;the email address is already in row 2']);
});

test('a row too wide for a page of PostgreSQL is one bad row', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 380; i++) {
    const of = (id: number) => makeField(id, { name: `Wide ${id}`, fieldType: 'Text', length: 30 });
    ids.push((await insertField(t.db, 400, of)).id);
  }
  const columnMapping = [column(1, 'email'), ...ids.map((id) => column(id, `c${id}`))];
  const head = ['email', ...ids.map((id) => `c${id}`)].join(';');
  const row = (email: string, cell: string) => [email, ...ids.map(() => cell)].join(';');
  const wide = row('wide@example.com', 'x'.repeat(23));
  const text = [head, row('a@example.com', 'x'), wide, row('b@example.com', 'y'), ''].join('\n');
  expect(await tester.import(text, { columnMapping })).toMatchObject({ nbInserts: 2, nbErrorRows: 1 });
  expect(listed()).toEqual(['3;PostgreSQL does not take its values (54000)']);
});
