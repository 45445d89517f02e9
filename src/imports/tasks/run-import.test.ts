import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { TestApp } from '../../testing/app.ts';
import { base, column, type ImportTester, importApp } from '../../testing/import-tester.ts';

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
afterEach(() => tester.clear());

describe('rows', () => {
  test('new ones are inserted, known ones updated only where they differ', async () => {
    await tester.add('ada@example.com', 'Ada');
    await tester.add('bob@example.com', 'Bob');
    const log = await tester.import(
      'email;name\nADA@example.com;Ada\nbob@EXAMPLE.com;Robert\nnew@example.com;New\n',
    );
    expect(log).toMatchObject({ totalRows: 3, totalUpdates: 2, nbUpdates: 1, totalInserts: 1, nbInserts: 1 });
    expect(await tester.people()).toEqual([
      { id: 1, email: 'ada@example.com', name: 'Ada' },
      { id: 2, email: 'bob@example.com', name: 'Robert' },
      { id: 3, email: 'new@example.com', name: 'New' },
    ]);
    expect(existsSync(join(tester.folder, 'people.csv.errors.csv'))).toBe(false);
  });

  test('new subscribers get status 0, both dates and their domain', async () => {
    await tester.import('email;name\nnew@bücher.example;N\n');
    expect(await tester.people(sql`fld1, fld2, fld3, fld4, fld7, fld37, fld44`)).toEqual([
      {
        fld1: 'new@xn--bcher-kva.example',
        fld2: t.clock.now(),
        fld3: t.clock.now(),
        fld4: null,
        fld7: 0,
        fld37: 'xn--bcher-kva.example',
        fld44: 0,
      },
    ]);
  });

  test('of a key that comes twice the last row wins', async () => {
    const log = await tester.import(
      'email;name\na@example.com;1\nb@example.com;2\nA@example.com;3\na@example.com;4\n',
    );
    expect(log).toMatchObject({ totalDuplicateKeys: 2, nbInserts: 2 });
    expect((await tester.people()).map(({ name }) => name)).toEqual(['2', '4']);
  });

  test('bad ones are counted, listed, and written beside the file with their reasons', async () => {
    const log = await tester.import(
      'email;name\nok@example.com;é\nno address;x\n;y\na@example.com\n' +
        'b@example.com;"z\nc@example.com;n\0n\nd@example.com;"a" b\n',
      {},
    );
    expect(log).toMatchObject({
      totalRows: 7,
      nbErrorRows: 2,
      nbBadFormattedRows: 4,
      nbInserts: 1,
      badFormattedRowNumbers: '3,4,5,6,7,8',
    });
    expect(tester.errorFile().split('\r\n')).toEqual([
      '\ufeffemail;name;row;reason',
      'no address;x;3;column email, Field 1 (Email): not an email address',
      ';y;4;column email, Field 1 (Email): is empty',
      'a@example.com;5;has 1 columns instead of 2',
      'b@example.com;"""z";6;the text qualifier is not closed',
      'c@example.com;n\0n;7;holds a NUL character',
      'd@example.com;"""a"" b";8;text follows the closing text qualifier',
      '',
    ]);
  });

  test('the error file can be fixed and imported again as it is', async () => {
    await tester.import('email;name\nnobody;Éa\n');
    tester.put(tester.errorFile().replace('nobody', 'now@example.com'), 'again.csv');
    expect(
      (
        await tester.import(readFileSync(join(tester.folder, 'again.csv')), {
          filename: 'again.csv',
          codepage: 1252,
        })
      ).nbInserts,
    ).toBe(1);
    expect(await tester.people()).toMatchObject([{ name: 'Éa' }]);
  });

  test('safeMode changes nothing when one row is bad', async () => {
    await tester.add('ada@example.com', 'Ada');
    const log = await tester.import('email;name\nada@example.com;Changed\nnew@example.com;N\nbad;x\n', {
      safeMode: true,
    });
    expect(log).toMatchObject({
      nbErrorRows: 1,
      nbUpdates: 0,
      nbInserts: 0,
      errorMessage: expect.stringContaining('Safe mode'),
    });
    expect(await tester.people()).toEqual([{ id: 1, email: 'ada@example.com', name: 'Ada' }]);
    const clean = await tester.import('email;name\nada@example.com;Changed\n', { safeMode: true });
    expect(clean).toMatchObject({ nbUpdates: 1, errorMessage: null });
  });

  test('insertEnabled false only updates', async () => {
    await tester.add('ada@example.com', 'Ada');
    const log = await tester.import('email;name\nada@example.com;A\nnew@example.com;N\n', {
      insertEnabled: false,
    });
    expect(log).toMatchObject({ nbUpdates: 1, totalInserts: 1, nbInserts: 0, nbForbiddenInserts: 1 });
    expect(await tester.people()).toHaveLength(1);
  });

  test('are invisible until all of them are there', async () => {
    tester.put(`email;name\n${Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com;x`).join('\n')}\n`);
    const { id } = await tester.make({});
    const seen = new Set<number>();
    let isDone = false;
    const watch = (async () => {
      while (!isDone)
        seen.add((await t.db.one<{ nb: number }>(sql`select count(*) as nb from ${t.db.t.subscriber}`)).nb);
    })();
    await tester.run(id);
    isDone = true;
    await watch;
    expect([...seen].filter((nb) => nb !== 0 && nb !== 3_000)).toEqual([]);
  });
});

describe('status', () => {
  const status = sql`fld1 as email, fld7 as status, fld3 as since, fld4 as left`;
  const text = 'email;name;status\nin@example.com;a;1\nout@example.com;b;0\nnew@example.com;c;1\n';
  const old = new Date('2019-12-31T23:00:00Z');
  const seed = async () => {
    await tester.add('in@example.com', 'a');
    await tester.add('out@example.com', 'b', { status: 1 });
    const stored = await t.db.one<{ since: Date }>(
      sql`select fld3 as since from ${t.db.t.subscriber} limit 1`,
    );
    return stored.since ?? old;
  };

  test('keepFld7 leaves everybody as they are; new ones take what the file says', async () => {
    const since = await seed();
    const mapped = [...base.columnMapping, column(7, 'status')];
    await tester.import(text, { keepFld7: true, columnMapping: mapped });
    expect(await tester.people(status)).toEqual([
      { email: 'in@example.com', status: 0, since, left: null },
      { email: 'out@example.com', status: 1, since, left: null },
      { email: 'new@example.com', status: 1, since: t.clock.now(), left: t.clock.now() },
    ]);
  });

  test('without it, rows that bring no status subscribe again who had left', async () => {
    const since = await seed();
    const log = await tester.import(text, { keepFld7: false });
    expect(log).toMatchObject({ totalUpdates: 2, nbUpdates: 1 });
    expect(await tester.people(status)).toEqual([
      { email: 'in@example.com', status: 0, since, left: null },
      { email: 'out@example.com', status: 0, since: t.clock.now(), left: null },
      { email: 'new@example.com', status: 0, since: t.clock.now(), left: null },
    ]);
  });

  test('without it, a status in the file is written, with the date that belongs to it', async () => {
    const since = await seed();
    await tester.import(text, {
      keepFld7: false,
      columnMapping: [...base.columnMapping, column(7, 'status')],
    });
    expect(await tester.people(status)).toMatchObject([
      { email: 'in@example.com', status: 1, since, left: t.clock.now() },
      { email: 'out@example.com', status: 0, since: t.clock.now(), left: null },
      { email: 'new@example.com', status: 1 },
    ]);
  });

  test('omitted, keepFld7 is true', async () => {
    await seed();
    await tester.import(text);
    expect((await tester.people(status)).map((row) => row.status)).toEqual([0, 1, 0]);
  });
});

describe('keys', () => {
  test('fld43 finds by client identifier; addresses of others stay theirs', async () => {
    await tester.add('ada@example.com', 'Ada', { client: 1 });
    await tester.add('bob@example.com', 'Bob', { client: 2 });
    const columnMapping = [column(43, 'client'), ...base.columnMapping];
    const log = await tester.import(
      'client;email;name\n1;ada2@example.com;A\n2;ada@example.com;B\n3;c@example.com;C\n' +
        '4;C@example.com;D\n5;e@example.com;E\n',
      { keyDbFieldName: 'fld43', columnMapping },
    );
    expect(log).toMatchObject({ nbUpdates: 1, nbInserts: 2, nbErrorRows: 2, badFormattedRowNumbers: '3,5' });
    expect(tester.errorFile()).toContain('2;ada@example.com;B;3;the email address belongs to subscriber 1');
    expect(tester.errorFile()).toContain('4;C@example.com;D;5;the email address is already in row 4');
    expect(await tester.people(sql`fld43::int as client, fld1 as email, fld37 as domain`)).toEqual([
      { client: 1, email: 'ada2@example.com', domain: 'example.com' },
      { client: 2, email: 'bob@example.com', domain: 'example.com' },
      { client: 3, email: 'c@example.com', domain: 'example.com' },
      { client: 5, email: 'e@example.com', domain: 'example.com' },
    ]);
  });

  test('a client identifier of another caller is refused when the address is the key', async () => {
    await tester.add('ada@example.com', 'Ada', { client: 1 });
    const log = await tester.import('email;name;client\nnew@example.com;N;1\nada@example.com;A;1\n', {
      columnMapping: [...base.columnMapping, column(43, 'client')],
    });
    expect(log).toMatchObject({ nbErrorRows: 1, nbUpdates: 1 });
    expect(tester.errorFile()).toContain(';1;2;the client identifier belongs to subscriber 1');
  });

  test('fld0 finds by identifier and never inserts', async () => {
    await tester.add('ada@example.com', 'Ada');
    const columnMapping = [column(0, 'id'), column(101, 'name')];
    const log = await tester.import('id;name\n1;Countess\n7;Nobody\nx;y\n', {
      keyDbFieldName: 'fld0',
      columnMapping,
    });
    expect(log).toMatchObject({ nbUpdates: 1, nbErrorRows: 2, nbInserts: 0 });
    expect(tester.errorFile()).toContain('7;Nobody;3;no subscriber has this identifier');
  });

  test('a custom Integer field finds, however its number is written', async () => {
    await tester.add('ada@example.com', 'Ada');
    await t.db.run(sql`update ${t.db.t.subscriber} set fld102 = 12`);
    const log = await tester.import('number;name\n+012;Countess\n13;Nobody\nx;y\n', {
      keyDbFieldName: 'fld102',
      columnMapping: [column(102, 'number'), column(101, 'name')],
    });
    expect(log).toMatchObject({ nbUpdates: 1, nbInserts: 0, nbErrorRows: 2 });
    expect(await tester.people()).toMatchObject([{ name: 'Countess' }]);
  });

  test("a custom field finds exactly; a shared key is nobody's; no address, no new subscriber", async () => {
    await tester.add('ada@example.com', 'X1');
    await tester.add('bob@example.com', 'X2');
    await tester.add('cy@example.com', 'X2');
    const columnMapping = [column(101, 'code'), column(102, 'points')];
    const log = await tester.import('code;points\nX1;5\nX2;6\nx1;7\n;8\n', {
      keyDbFieldName: 'fld101',
      columnMapping,
    });
    expect(log).toMatchObject({ nbUpdates: 1, nbErrorRows: 3, nbInserts: 0 });
    expect(tester.errorFile()).toContain('X2;6;3;2 subscribers have this key');
    expect(tester.errorFile()).toContain('x1;7;4;email to insert not found');
    expect(tester.errorFile()).toContain(';8;5;column code, Field 101 (Prénom): the key is empty');
  });
});
