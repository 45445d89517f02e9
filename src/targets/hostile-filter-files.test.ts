import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { registerRepository } from '../files/repository-administration.ts';
import { siteFolderPath } from '../files/sftp-server.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { addCustomFields } from '../testing/custom-fields.ts';
import { Hold } from '../testing/hold.ts';
import { hostileFiles } from '../testing/hostile-files.ts';
import { workbookParts, zipOf } from '../testing/make-workbook.ts';
import { measuredWork } from '../testing/programs.ts';
import { StallingSftp } from '../testing/stalling-sftp.ts';
import type { TargetCall } from '../testing/work-process.ts';
import { targetsOperations } from './operations.ts';

/**
 * Maximum memory of a load in MB, whatever the file contains; the process itself, with its compiler, takes about 150.
 */
const maxMb = 256;
const gigabyte = 1024 ** 3;

let t: TestApp;
let folder: string;
let id: number;
beforeAll(async () => {
  t = await testApp({ operations: targetsOperations });
  await addCustomFields(t.db);
  folder = siteFolderPath(t.dataDir, t.db.site.id);
  mkdirSync(folder, { recursive: true });
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1, fld101)
    select i, 's' || i || '@example.org', 'Élodie ' || i from generate_series(1, 9) i`);
});
afterAll(() => t.close());
beforeEach(async () => {
  id = ((await t.call('POST', '/targets', { body: { name: 'List' } })).data as { id: number }).id;
});

const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const bodyOf = (idTarget: number, filename: string, dbFieldName: string) => {
  return { idTarget, filename, dbFieldName, fileAutomaticDeletionDate: '2027-12-01T00:00:00Z' };
};
const set = (filename: string, dbFieldName = 'fld1') =>
  t.call('PUT', '/targets/filters/file', { body: bodyOf(id, filename, dbFieldName) });
const ids = async (): Promise<unknown> => (await t.call('GET', `/targets/${id}/subscriber-ids`)).data;
const values = async () => (await t.db.rows(sql`select from ${t.db.t.filter_file_value}`)).length;

/** Sets one target's filter with each of the files, in a process of its own; what was answered. */
async function setApart(names: readonly string[], dbFieldName = 'fld1') {
  const calls = names.map((name): TargetCall => {
    return ['PUT', '/v1/demo/targets/filters/file', bodyOf(id, name, dbFieldName)];
  });
  const work = { calls, token: t.token('sender') };
  const { answers, peakMb } = await measuredWork(t, work, { now: t.clock.now().toISOString() });
  expect(peakMb).toBeLessThan(maxMb);
  const tmp = join(t.dataDir, 'tmp');
  expect(readdirSync(t.dataDir).includes('tmp') ? readdirSync(tmp) : []).toEqual([]);
  return answers!;
}

test('bombs and broken files are refused with the reason, in bounded memory, and nothing is kept', async () => {
  const files = await hostileFiles();
  for (const { filename, content } of files) put(filename, content);
  const before = await values();
  const answers = await setApart(files.map(({ filename }) => filename));
  for (const [i, { filename, message }] of files.entries()) {
    const { status, error } = answers[i]!;
    expect([filename, status, error]).toEqual([filename, 400, expect.stringMatching(/^filename: /)]);
    expect([filename, error]).toEqual([filename, expect.stringMatching(message)]);
  }
  expect(await values()).toBe(before);
  expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({ data: { filename: null } });
  for (const { filename } of files) rmSync(join(folder, filename));
}, 180_000);

/** A file with a hole of NUL characters in it, which takes no room on the disk. */
function putHole(name: string, before: string, bytes: number, after: string): void {
  put(name, before);
  const file = openSync(join(folder, name), 'r+');
  writeSync(file, after, before.length + bytes);
  closeSync(file);
}

test('a line of a gigabyte is named, wherever it is in the file, and does not come into memory', async () => {
  putHole('first.csv', 's1@example.org', gigabyte, '\ns2@example.org\n');
  putHole('later.csv', 's1@example.org\ns2@example.org', gigabyte, '\ns3@example.org\n');
  putHole('cell.csv', 's1@example.org\n"s2@example.org', gigabyte, '"\ns3@example.org\n');
  const before = await values();
  const told = [1, 2, 2].map((line) => {
    const fault = `line ${line} is longer than 1048576 characters`;
    return { status: 400, error: `filename: The file cannot be used: ${fault}` };
  });
  told[2] = {
    status: 400,
    error: 'filename: The file cannot be used: line 2 the text qualifier is not closed',
  };
  expect(await setApart(['first.csv', 'later.csv', 'cell.csv'])).toEqual(told);
  expect(await values()).toBe(before);
}, 180_000);

/** Bytes that are the same at each run, and of all values. */
const noise = Buffer.from(
  Uint32Array.from({ length: 250_000 }, (_, i) => Math.imul(i, 2_654_435_761)).buffer,
);
const utf16 = Buffer.from('Élodie 1\nÉlodie 2\n', 'utf16le');

describe('text that is not what it should be', () => {
  test.each<[string, string, string | Buffer, RegExp]>([
    ['noise', 'fld1', noise, /cannot be used: line \d+ holds /],
    ['noise as texts', 'fld101', noise, /cannot be used: line \d+ holds /],
    [
      'another code page',
      'fld101',
      Buffer.from('Zoe\nÉlodie 1\n', 'latin1'),
      /line 2 .* save the file as UTF-8$/,
    ],
    [
      'another code page in another column',
      'fld1',
      Buffer.from('s1@example.org;Zoe\ns2@example.org;\xc9lodie\n', 'latin1'),
      /line 2 holds bytes that are not in the code page: save the file as UTF-8$/,
    ],
    ['UTF-16 without a mark', 'fld101', utf16, /line 1 holds /],
    ['a NUL', 'fld1', 's1@example.org\ns2@exa\0mple.org\n', /line 2 holds a NUL character$/],
    [
      'quotes that are never closed',
      'fld101',
      'Élodie 1\n"Élodie 2\n',
      /line 2 the text qualifier is not closed$/,
    ],
    [
      'text behind quotes',
      'fld101',
      'Élodie 1\n"Élodie" 2\n',
      /line 2 text follows the closing text qualifier$/,
    ],
    ['no byte at all', 'fld1', '', /the file has no value that fld1 could hold$/],
    ['blank lines', 'fld1', '\n \n\t\n"";x\n', /the file has no value that fld1 could hold$/],
  ])('400 for %s in %s, and nothing is kept', async (_what, column, content, reason) => {
    const before = await values();
    put('text.csv', content);
    const answer = await set('text.csv', column);
    expect(answer).toMatchObject({ status: 400, error: expect.stringMatching(/^filename: /) });
    expect(answer.error).toMatch(reason);
    expect(await values()).toBe(before);
  });

  test('200 for UTF-16 with a mark', async () => {
    put('marked.csv', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]));
    expect(await set('marked.csv', 'fld101')).toMatchObject({ status: 200 });
    expect(await ids()).toEqual([1, 2]);
  });

  test('a sheet counts by its first column, however wide its rows are, and without cells that failed', async () => {
    const cell = (type: string, text: string) => `<c t="${type}"><v>${text}</v></c>`;
    const rows = [
      cell('str', 'Names'),
      cell('str', 'Élodie 1') + cell('str', 'x') + cell('str', 'y'),
      cell('e', '#N/A') + cell('str', 'x'),
      cell('str', 'Élodie 3') + cell('str', 'z'),
    ];
    const sheet = rows.map((row) => `<row>${row}</row>`).join('');
    put('wide.xlsx', await zipOf(workbookParts({ rows: sheet })));
    expect(await set('wide.xlsx', 'fld101')).toMatchObject({ status: 200 });
    expect(await ids()).toEqual([1, 3]);
    expect((await t.call('GET', `/targets/${id}/description`)).data).toContain(
      'Attention : une ligne du fichier n’est pas une valeur de ce champ et ne compte pas',
    );
  });
});

describe('what was loaded before', () => {
  test('stays, and is not used, when a hostile file replaces the good one', async () => {
    put('good.csv', 's1@example.org\ns2@example.org\n');
    expect(await set('good.csv')).toMatchObject({ status: 200 });
    const before = await values();
    for (const content of [noise, Buffer.from([0x1f, 0x8b, 8, 0, 1]), '"s3@example.org\n']) {
      put('good.csv', content);
      expect(await t.call('GET', `/targets/${id}/count`)).toMatchObject({
        status: 409,
        error: expect.stringMatching(/^A file filter cannot be used: The file cannot be /),
      });
      expect(await values()).toBe(before);
    }
    put('good.csv', 's3@example.org\n');
    expect(await ids()).toEqual([3]);
  });

  test('stays when the file is deleted while it is read', async () => {
    put('gone.csv', 's1@example.org\n');
    expect(await set('gone.csv')).toMatchObject({ status: 200 });
    const before = await values();
    put('gone.csv', 's1@example.org\ns2@example.org\n');
    const hold = await Hold.of(
      t.connection,
      `lock table ${t.db.site.schema}.filter_file_value in exclusive mode`,
    );
    const counted = t.call('GET', `/targets/${id}/count`);
    await hold.reached();
    rmSync(join(folder, 'gone.csv'));
    await hold.letGo();
    expect(await counted).toMatchObject({
      status: 409,
      error: 'A file filter cannot be used: The file gone.csv is not in the repository',
    });
    expect(await values()).toBe(before);
  });
});

test('400 for a file behind a link to a directory, and for what is no file', async () => {
  writeFileSync(join(t.dataDir, 'secret.csv'), 's1@example.org\n');
  symlinkSync(t.dataDir, join(folder, 'linked'));
  mkdirSync(join(folder, 'directory.csv'));
  const before = await values();
  for (const name of ['linked/secret.csv', 'directory.csv', 'directory.csv/x.csv', 'good.csv/x.csv'])
    expect(await set(name)).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^filename: The file /),
    });
  expect(await values()).toBe(before);
});

describe('on a server elsewhere', () => {
  let server: StallingSftp;
  beforeAll(async () => {
    server = await StallingSftp.start();
    const { id: idRepository } = await registerRepository(t.app, t.db, server.access);
    await t.db.run(sql`update ${t.db.t.repository} set is_default = (id = ${idRepository})`);
  });
  afterAll(() => server?.close());

  test.each([
    ['grows', (name: string) => server.files.set(name, Buffer.concat([server.files.get(name)!, line]))],
    ['is emptied', (name: string) => server.files.set(name, Buffer.alloc(0))],
  ])('409 for a file that %s while it is read, and nothing is loaded', async (_what, change) => {
    const before = await values();
    server.files.set('moving.csv', Buffer.concat([line, line]));
    server.stalls = (what, name) => {
      if (what === 'read') change(name);
      return false;
    };
    expect(await set('moving.csv')).toMatchObject({
      status: 409,
      error: expect.stringContaining('The file moving.csv is being written; try again when it is whole'),
    });
    expect(await values()).toBe(before);
    server.stalls = () => false;
    server.files.set('moving.csv', line);
    expect(await set('moving.csv')).toMatchObject({ status: 200 });
    expect(await ids()).toEqual([1]);
  });
  const line = Buffer.from('s1@example.org\n');

  test('400 for a file that is deleted between the look at it and its reading', async () => {
    const before = await values();
    server.files.set('fleeting.csv', line);
    server.stalls = (what, name) => {
      if (what === 'open') server.files.delete(name);
      return false;
    };
    expect(await set('fleeting.csv')).toMatchObject({
      status: 400,
      error: expect.stringMatching(
        /^filename: The file (fleeting.csv is not in the repository|cannot be read)/,
      ),
    });
    expect(await values()).toBe(before);
  });
});
