import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { Language } from '../../fields/period.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { filterSite, readOrRefuse } from '../../testing/filter-site.ts';
import { expectGolden } from '../../testing/golden.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { targetsOperations } from '../operations.ts';
import { fileFilter } from './file-filter.ts';
import { type FileState, type FileTrouble, fileKey } from './filter-file.ts';

const until = '2026-12-01T00:00:00.000Z';

describe('the file filter', () => {
  let t: TestApp;
  let folder: string;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await addCustomFields(t.db);
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(join(folder, 'lists'), { recursive: true });
    const names = ['Élodie', 'elodie', 'Zoé', 'Ana, Léa', null];
    for (let i = 1; i <= 10; i++) {
      await t.db.run(sql`
        insert into ${t.db.t.subscriber} (fld0, fld1, fld43, fld101, fld105)
        values (${i}, ${`S${i}@Example.org`}, ${1000 + i}, ${names[i % 5] ?? null}, ${i % 3 || null})`);
    }
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    id = ((await t.call('POST', '/targets', { body: { name: 'Liste' } })).data as { id: number }).id;
  });

  let written = 0;
  /** Writes a file; its time always differs from that of the one before. */
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    const at = new Date(Date.UTC(2026, 0, 1) + ++written * 1000);
    utimesSync(join(folder, name), at, at);
  };
  const set = (filename: unknown, dbFieldName = 'fld1', fileAutomaticDeletionDate: string | null = until) =>
    t.call('PUT', '/targets/filters/file', {
      body: { idTarget: id, isEnabled: true, filename, dbFieldName, fileAutomaticDeletionDate },
    });
  const ids = async (): Promise<unknown> => (await t.call('GET', `/targets/${id}/subscriber-ids`)).data;
  const count = (of = id) => t.call('GET', `/targets/${of}/count`);
  const values = async () => (await t.db.rows(sql`select from ${t.db.t.filter_file_value}`)).length;
  const loads = async () => (await t.db.rows(sql`select id from ${t.db.t.filter_file}`)).length;

  it('200 selects by emails ignoring case, whatever the first line is', async () => {
    write(
      'lists/a.csv',
      'Email;Name\ns1@EXAMPLE.org;x\n"S2@example.org ";y\nnobody@example.org;z\nnone;\n\n',
    );
    expect(await set('lists/a.csv')).toMatchObject({ status: 200, data: true });
    expect(await ids()).toEqual([1, 2]);
    expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({
      data: {
        filename: 'lists/a.csv',
        dbFieldName: 'fld1',
        fileAutomaticDeletionDate: until,
        isEnabled: true,
      },
    });
    const [loaded] = await t.db.rows(sql`
      select nb_values, nb_bad from ${t.db.t.filter_file} where filename = 'lists/a.csv'`);
    expect(loaded).toEqual({ nb_values: 3, nb_bad: 1 });
    expect(await t.call('GET', `/targets/${id}`)).toMatchObject({ data: { hasFileFilter: true } });
  });

  it.each([
    ['fld101', 'ELODIE\n"Ana, Léa";1\n', [1, 3, 5, 6, 8, 10]],
    ['fld101', 'Zoe\tx\n', [2, 7]],
    ['fld101', 'Zoe,x\n', [2, 7]],
    ['fld43', 'client\n1003\n+01004\n99999999999999999999\n', [3, 4]],
    ['fld0', '5\n6\n', [5, 6]],
    ['fld105', '1\nlyon\n7\n', [1, 2, 4, 5, 7, 8, 10]],
    ['fld1', '\ufeffs9@example.org\r\ns10@example.org', [9, 10]],
  ])('200 for field %s and the file %j', async (column, content, expected) => {
    write('b.csv', content);
    expect(await set('b.csv', column)).toMatchObject({ status: 200 });
    expect(await ids()).toEqual(expected);
  });

  it('200 for a file that is packed', async () => {
    write('c.csv.gz', gzipSync('s3@example.org\n'));
    await set('c.csv.gz');
    expect(await ids()).toEqual([3]);
  });

  it('200 together with other filters, and taken out as an excluded target', async () => {
    write('d.csv', 's1@example.org\ns2@example.org\ns3@example.org\n');
    await set('d.csv');
    await t.call('PUT', '/targets/filters/sql', { body: { idTarget: id, sql: 'fld0 > 1' } });
    expect(await ids()).toEqual([2, 3]);
    const body = { name: 'Sauf', excludedTargets: [id] };
    const other = ((await t.call('POST', '/targets', { body })).data as { id: number }).id;
    expect((await count(other)).data).toBe(8);
  });

  it('reads a file that has changed again at its next use, and one that has not never again', async () => {
    write('e.csv', 's1@example.org\n');
    await set('e.csv');
    const before = await loads();
    for (let i = 0; i < 3; i++) expect(await ids()).toEqual([1]);
    expect(await loads()).toBe(before);
    write('e.csv', 's4@example.org\ns5@example.org\n');
    const all = await Promise.all([ids(), ids(), ids(), ids()]);
    expect(all).toEqual([
      [4, 5],
      [4, 5],
      [4, 5],
      [4, 5],
    ]);
    expect(await loads()).toBe(before + 1);
  });

  it('409 for a file that was deleted or is no longer readable, until the file is back', async () => {
    write('f.csv', 's1@example.org\n');
    await set('f.csv');
    renameSync(join(folder, 'f.csv'), join(folder, 'g.csv'));
    expect(await count()).toMatchObject({
      status: 409,
      error: 'A file filter cannot be used: The file f.csv is not in the repository',
    });
    write('f.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    expect(await count()).toMatchObject({
      status: 409,
      error: expect.stringContaining('A file filter cannot be used'),
    });
    rmSync(join(folder, 'f.csv'));
    renameSync(join(folder, 'g.csv'), join(folder, 'f.csv'));
    expect(await ids()).toEqual([1]);
  });

  it('its description warns of a missing, unreadable or empty file, and of an unavailable repository', async () => {
    const describe = async () => (await t.call('GET', `/targets/${id}/description`)).data as string;
    write('w.csv', 's1@example.org\n');
    await set('w.csv');
    expect(await describe()).not.toContain('Attention');
    renameSync(join(folder, 'w.csv'), join(folder, 'w-kept.csv'));
    expect(await describe()).toContain('Attention : le fichier n’est plus dans le dépôt');
    write('w.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    expect(await describe()).toContain('Attention : le fichier ne peut pas être lu en entier');
    write('w.csv', 'Email\nnone\n');
    expect(await describe()).toContain('Attention : le fichier n’a aucune valeur que ce champ puisse avoir');
    rmSync(join(folder, 'w.csv'));
    renameSync(join(folder, 'w-kept.csv'), join(folder, 'w.csv'));
    expect(await describe()).not.toContain('Attention');
    const idAway = await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port: 1 });
    await t.db.run(sql`update ${t.db.t.repository} set is_default = true where id = ${idAway}`);
    expect(await count()).toMatchObject({ status: 503 });
    expect(await describe()).toContain('Attention : le dépôt ne peut pas être atteint');
    await t.db.run(sql`delete from ${t.db.t.repository} where id = ${idAway}`);
  });

  it('422 when the host of the default repository leads inside, and there is no filter', async () => {
    const idInside = await makeRepository(t.db, t.app.secrets, { host: '10.0.0.1' });
    await t.db.run(sql`update ${t.db.t.repository} set is_default = true where id = ${idInside}`);
    const reply = await set('a.csv');
    await t.db.run(sql`delete from ${t.db.t.repository} where id = ${idInside}`);
    expect(reply).toMatchObject({
      status: 422,
      error: expect.stringMatching(/^host: 10\.0\.0\.1 is an internal address/),
    });
    expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({ data: { filename: null } });
  });

  it('409 when the field has another type since', async () => {
    write('h.csv', 'Zoe\n');
    await set('h.csv', 'fld101');
    await t.db.run(sql`update ${t.db.t.field} set field_type = 'Date' where id = 101`);
    expect(await count()).toMatchObject({
      status: 409,
      error: expect.stringContaining('fld101 is not a field that a file'),
    });
    await t.db.run(sql`update ${t.db.t.field} set field_type = 'Text' where id = 101`);
  });

  it.each([
    ['absent.csv', 'The file absent.csv is not in the repository'],
    ['lists', 'The file lists is not in the repository'],
    ['../secret', "the name leaves the repository ('..')"],
    ['..\\..\\secret', 'holds a back-slash'],
    ['/etc/passwd', 'starts at the root of the file system'],
    ['a/%2e%2e/b', 'is not in the repository'],
    ['C:\\a.csv', 'holds a back-slash'],
    ['lists/./a.csv', 'holds an empty part'],
    ['a..', 'is not in the repository'],
    ['a\u2215..\u2215b', 'is not in the repository'],
    ['x'.repeat(300), 'longer than 255 bytes'],
    ['link.csv', 'filename: The file cannot be read'],
    ['a\u0000.csv', 'filename: holds characters'],
    ['empty.csv', 'the file has no value that fld1 could hold'],
  ])('400 for the file %j, and nothing is kept', async (name, reason) => {
    write('empty.csv', 'Email\n\n');
    if (name === 'link.csv') symlinkSync('/etc/passwd', join(folder, 'link.csv'));
    const before = await values();
    expect(await set(name)).toMatchObject({ status: 400, error: expect.stringContaining(reason) });
    expect(await values()).toBe(before);
    expect(await t.call('GET', `/targets/${id}/filters/file`)).toMatchObject({ data: { filename: null } });
  });

  it.each([
    ['fld9', until, "dbFieldName: must be 'fld' and the id of a field"],
    ['fld1 or true', until, "dbFieldName: must be 'fld'"],
    ['FLD1', until, "dbFieldName: must be 'fld'"],
    ['fld103', until, 'dbFieldName: fld103 is of type Date; files are compared with Text, Integer, List'],
    ['fld104', until, 'is of type Boolean'],
    ['fld1', null, 'fileAutomaticDeletionDate: is required'],
    ['fld1', '2026-11-20T10:00:00Z', 'fileAutomaticDeletionDate: must be in the future'],
    ['fld1', 'tomorrow', 'fileAutomaticDeletionDate'],
  ])('400 for the field %s until %s', async (column, date, reason) => {
    write('i.csv', 's1@example.org\n');
    expect(await set('i.csv', column, date)).toMatchObject({
      status: 400,
      error: expect.stringContaining(reason),
    });
  });

  it('404 for an unknown target, and the file is not loaded', async () => {
    write('j.csv', 's1@example.org\n');
    const before = await loads();
    id = 99_999;
    expect(await set('j.csv')).toMatchObject({ status: 404 });
    expect(await loads()).toBe(before);
  });

  it('two sites with files of one name see their own', async () => {
    write('k.csv', 's1@example.org\n');
    await set('k.csv');
    const { rows } = await t.app.control.pool.query(
      'select count(*)::int as count from site_other.filter_file',
    );
    expect(rows).toEqual([{ count: 0 }]);
  });
});

const loaded = new Map([
  [fileKey({ filename: 'a.csv', dbFieldName: 'fld101' }), { id: 7, nbValues: 3, nbBad: 0 }],
]);
const site = filterSite({ files: loaded });
const given = {
  filename: 'a.csv',
  dbFieldName: 'fld101',
  fileAutomaticDeletionDate: '2026-12-01T01:00:00+01:00',
};

test('a definition is kept with its date in UTC, and none without members', () => {
  expect(readOrRefuse(fileFilter, given, site)).toEqual({ ...given, fileAutomaticDeletionDate: until });
  expect(readOrRefuse(fileFilter, { filename: null }, site)).toBeUndefined();
});

test('from its date on it selects nobody, whether its file is there or not', () => {
  const after = filterSite({ now: new Date(until) });
  expect(fileFilter.compile(given, after).text).toBe('false');
});

const inState = (state: FileState) =>
  filterSite({ files: new Map([[fileKey({ filename: 'a.csv', dbFieldName: 'fld101' }), state]]) });
const said =
  (definition = given, of = site) =>
  (language: Language) =>
    fileFilter.describe(definition, of, language);
const inTrouble = (trouble: FileTrouble) => said(given, inState({ fault: 'why', trouble }));

test('descriptions', () =>
  expectGolden('file-filter.golden.txt', {
    'the file is gone': inTrouble('missing'),
    'the file cannot be read': inTrouble('unreadable'),
    'the file is being loaded': inTrouble('loading'),
    'the repository is away': inTrouble('away'),
    'the field has another type': inTrouble('field'),
    'a file without values': said(given, inState({ id: 7, nbValues: 0, nbBad: 2 })),
    'a file with a line that counts for nothing': said(given, inState({ id: 7, nbValues: 3, nbBad: 1 })),
    'a file with such lines': said(given, inState({ id: 7, nbValues: 3, nbBad: 20 })),
    file: said(),
    'hostile names': said({ ...given, filename: '<i>"l\'été" & cie</i>.csv' }),
    'a field that is gone': said({ ...given, dbFieldName: 'fld999' }),
    'after its date': said(given, filterSite({ now: new Date('2027-01-01T00:00:00Z') })),
  }));
