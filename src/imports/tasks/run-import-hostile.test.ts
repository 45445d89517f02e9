import { closeSync, openSync, readdirSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { hostileFiles } from '../../testing/hostile-files.ts';
import { column, type ImportTester, importApp } from '../../testing/import-tester.ts';
import { measuredWork } from '../../testing/programs.ts';
import type { Import, ImportParameters } from '../import.ts';
import { findImport } from '../import-store.ts';

/**
 * Memory that an import may take, in MB, whatever the file; the process itself, with its compiler, takes about 130 of
 * it.
 */
const maxMb = 256;

let t: TestApp;
let tester: ImportTester;
beforeAll(async () => {
  ({ t, tester } = await importApp());
});
afterAll(() => t.close());
beforeEach(() => tester.add('known@example.com', 'as it was'));
afterEach(() => tester.clear());
const untouched = [{ id: 1, email: 'known@example.com', name: 'as it was' }];

/** Runs imports one after the other in a process of its own, and looks at the memory that it took. */
async function runApart(imports: readonly Import[]): Promise<Import[]> {
  const { peakMb } = await measuredWork(t, { imports: imports.map(({ id }) => id) });
  expect(peakMb).toBeLessThan(maxMb);
  return Promise.all(imports.map(async ({ id }) => (await findImport(t.db, id))!));
}

test('bombs and broken files end in PackageErrorCreation with a text, in bounded memory', async () => {
  const files = await hostileFiles();
  const made: Import[] = [];
  for (const { filename, content } of files) {
    tester.put(content, filename);
    made.push(await tester.make({ filename }));
  }
  const done = await runApart(made);
  for (const [i, { filename, message }] of files.entries()) {
    const { importState, lastImportLog } = done[i]!;
    expect([filename, importState, lastImportLog?.errorMessage]).toEqual([
      filename,
      'PackageErrorCreation',
      expect.stringMatching(message),
    ]);
  }
  expect(await tester.people()).toEqual(untouched);
  expect(await tester.stages()).toEqual([]);
  expect(readdirSync(join(t.dataDir, 'tmp'))).toEqual([]);
  expect(readdirSync(tester.folder).toSorted()).toEqual(files.map(({ filename }) => filename).toSorted());
}, 180_000);

/** A file with a hole of NUL characters in it, which takes no room on the disk. */
function putHole(name: string, before: string, bytes: number, after: string): void {
  tester.put(before, name);
  const file = openSync(join(tester.folder, name), 'r+');
  writeSync(file, after, before.length + bytes);
  closeSync(file);
}
const gigabyte = 1024 ** 3;

test('a line of a gigabyte is one bad row, or no names at all', async () => {
  putHole('row.csv', 'email;name\na@example.com;x\n', gigabyte, '\nb@example.com;y\n');
  putHole('cell.csv', 'email;name\na@example.com;"', gigabyte / 4, '\nb@example.com;y\n');
  putHole('names.csv', '', gigabyte / 4, '\nb@example.com;y\n');
  const files = ['row.csv', 'cell.csv', 'names.csv'];
  const made = await Promise.all(files.map((filename) => tester.make({ filename, safeMode: true })));
  const [row, cell, names] = await runApart(made);
  expect(row).toMatchObject({
    importState: 'Completed',
    lastImportLog: {
      totalRows: 3,
      nbBadFormattedRows: 1,
      badFormattedRowNumbers: '3',
      errorMessage: expect.stringContaining('Safe mode'),
    },
  });
  expect(tester.errorFile('row.csv')).toContain(';3;is longer than 1048576 characters\r\n');
  expect(cell).toMatchObject({ lastImportLog: { totalRows: 2, nbBadFormattedRows: 1 } });
  expect(tester.errorFile('cell.csv')).toContain(';2;the text qualifier is not closed\r\n');
  expect(names).toMatchObject({
    importState: 'PackageErrorCreation',
    lastImportLog: { errorMessage: 'The line of column names is longer than 1048576 characters' },
  });
  expect(await tester.people()).toEqual(untouched);
}, 180_000);

async function ended(content: string | Buffer, parameters: Partial<ImportParameters> = {}): Promise<Import> {
  tester.put(content, parameters.filename);
  return tester.run((await tester.make(parameters)).id);
}
/** Bytes that are the same at each run, and of all values. */
const noise = Buffer.from(
  Uint32Array.from({ length: 250_000 }, (_, i) => Math.imul(i, 2_654_435_761)).buffer,
);

describe('text that is not what it should be', () => {
  const numbered = { columnNamesFirstLine: false, columnMapping: [column(1, '1')] };
  test.each<[string, string | Buffer, Partial<ImportParameters>, object]>([
    ['noise', noise, {}, { importState: 'PackageErrorCreation' }],
    [
      'noise without names',
      noise,
      { ...numbered, codepage: 1252 },
      { importState: 'Completed', lastImportLog: { nbInserts: 0, nbValidations: 0 } },
    ],
    [
      'UTF-8 read as 1252',
      'email;name\na@example.com;Élodie\n',
      { codepage: 1252 },
      {
        importState: 'PackageErrorCreation',
        lastImportLog: {
          errorMessage: 'The file is written in UTF-8 (code page 65001), not in code page 1252',
        },
      },
    ],
    [
      '1252 read as UTF-8',
      Buffer.from('email;name\na@example.com;\xc9lodie\nb@example.com;x\n', 'latin1'),
      { safeMode: true },
      { lastImportLog: { nbBadFormattedRows: 1, nbInserts: 0, badFormattedRowNumbers: '2' } },
    ],
    [
      'UTF-16 without a mark, read as 1252',
      Buffer.from('email;name\na@example.com;x\n', 'utf16le'),
      { codepage: 1252 },
      {
        importState: 'PackageErrorCreation',
        lastImportLog: { errorMessage: 'The line of column names holds a NUL character' },
      },
    ],
    [
      'ASCII read as UTF-16',
      'email;name\na@example.com;x\n',
      { codepage: 1200 },
      {
        importState: 'PackageErrorCreation',
        lastImportLog: { errorMessage: expect.stringMatching(/^The file has no column email: it has /) },
      },
    ],
    [
      'another number of columns in each row',
      `email;name\n${Array.from({ length: 50 }, (_, i) => `u${i}@example.com${';'.repeat(i)}`).join('\n')}\n`,
      { safeMode: true },
      { lastImportLog: { totalRows: 50, nbBadFormattedRows: 49, nbInserts: 0 } },
    ],
    [
      'qualifiers that are never closed',
      `email;name\n${'"known@example.com;"x\n'.repeat(50)}known@example.com;new`,
      { safeMode: true },
      { lastImportLog: { totalRows: 51, nbBadFormattedRows: 50, nbUpdates: 0 } },
    ],
  ])('%s', async (_what, content, parameters, expected) => {
    const done = await ended(content, parameters);
    expect(done).toMatchObject(expected);
    expect(await tester.people()).toEqual(untouched);
  });
});

describe('names', () => {
  test('that mean another place to another caller are just names', async () => {
    const names = [
      '%2e%2e/a.csv',
      '..%2fa.csv',
      'C:a.csv',
      'a.csv.',
      'a\u2215..\u2215b.csv',
      '\uff0e\uff0e/a.csv',
    ];
    for (const [i, filename] of names.entries()) {
      const done = await ended(`email;name\nu${i}@example.com;x\n`, { filename });
      expect([filename, done.importState]).toEqual([filename, 'Completed']);
    }
    expect(await tester.people()).toHaveLength(1 + names.length);
  });

  test('of links lead nowhere', async () => {
    writeFileSync(join(t.dataDir, 'secret.csv'), 'email;name\nsecret@example.com;x\n');
    tester.put('');
    symlinkSync(join(t.dataDir, 'secret.csv'), join(tester.folder, 'link.csv'));
    symlinkSync(t.dataDir, join(tester.folder, 'linked'));
    for (const filename of ['link.csv', 'linked/secret.csv']) {
      const done = await tester.run((await tester.make({ filename })).id);
      expect(done.importState).toBe('PackageErrorCreation');
      expect(done.lastImportLog?.errorMessage).toMatch(/^The file cannot be read: /);
    }
    expect(await tester.people()).toEqual(untouched);
  });
});
