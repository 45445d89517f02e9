import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import yauzl from 'yauzl';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { ExportTester } from '../../testing/export-tester.ts';
import { exportsOperations } from '../operations.ts';
import { runExport } from './run-export.ts';

let t: TestApp;
let tester: ExportTester;
beforeAll(async () => {
  t = await testApp({ operations: exportsOperations });
  await addCustomFields(t.db);
  tester = new ExportTester(t);
});
afterAll(() => t.close());
afterEach(() => tester.clear());

describe('the rows', () => {
  test('values of each type under the names of their fields, an empty one as nothing', async () => {
    await tester.add('ada@example.com', {
      fld2: '2026-07-01T10:00:00Z',
      fld8: 1,
      fld101: 'Zoë',
      fld102: '9223372036854775807',
      fld103: '1815-12-10T00:00:00Z',
      fld104: true,
      fld105: -3,
    });
    await tester.add('bob@example.com', { fld103: '2026-12-31T23:30:00.999Z', fld104: false });
    const idsFields = ['0', 'fld1', '2', 'FLD8', '101', '102', '103', '104', '105'];
    expect(await tester.text({ idsFields })).toBe(
      'Identifier;Email;First subscription date;Partner offers;Prénom;Points;Naissance;Client;Ville\r\n' +
        '1;ada@example.com;2026-07-01 12:00:00;1;Zoë;9223372036854775807;1815-12-10 00:09:21;1;-3\r\n' +
        '2;bob@example.com;;;;;2027-01-01 00:30:00;0;\r\n',
    );
    const texts = await tester.text({ idsFields: ['105'], typeList: 'VALUE' });
    expect(texts).toBe('Ville\r\nNîmes\r\n\r\n');
  });

  test('columns in the order requested, lines by subscriber, as many as requested', async () => {
    for (const name of ['c', 'a', 'b']) await tester.add(`${name}@example.com`);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld101 = 'moved' where fld0 = 1`);
    expect(await tester.text({ idsFields: ['1', '0'], quantity: 2 })).toBe(
      'Email;Identifier\r\nc@example.com;1\r\na@example.com;2\r\n',
    );
    expect((await tester.export({ quantity: 0 })).done.nbLines).toBe(3);
  });

  test('the subscribers of the target, and no others', async () => {
    for (const name of ['a', 'b', 'c']) await tester.add(`${name}@example.com`);
    const idTarget = await makeTarget(t.db, { ids: [1, 3] });
    expect(await tester.text({ idTarget, idsFields: ['0'] })).toBe('Identifier\r\n1\r\n3\r\n');
    const nobody = await makeTarget(t.db, { ids: [99] });
    const { done, bytes } = await tester.export({ idTarget: nobody });
    expect([bytes.toString(), done.nbLines]).toEqual(['Email\r\n', 0]);
  });

  test('values and names that hold the separator, a quote or a line end are quoted as in RFC 4180', async () => {
    await t.db.run(sql`update ${t.db.t.field} set name = 'a;"b"' where id = 101`);
    await tester.add('a@x.example', { fld101: 'a;b' });
    await tester.add('b@x.example', { fld101: 'say "hi"' });
    await tester.add('c@x.example', { fld101: 'two\r\nlines\n' });
    await tester.add('d@x.example', { fld101: 'a,b' });
    const idsFields = ['101', '0'];
    expect(await tester.text({ idsFields })).toBe(
      '"a;""b""";Identifier\r\n"a;b";1\r\n"say ""hi""";2\r\n"two\r\nlines\n";3\r\na,b;4\r\n',
    );
    expect(await tester.text({ idsFields, columnSeparator: ',', idNewLineCharacter: 2 })).toBe(
      '"a;""b""",Identifier\na;b,1\n"say ""hi""",2\n"two\r\nlines\n",3\n"a,b",4\n',
    );
    const tabs = await tester.text({ idsFields, columnSeparator: '{t}', quantity: 1 });
    expect(tabs).toBe('"a;""b"""\tIdentifier\r\na;b\t1\r\n');
    await t.db.run(sql`update ${t.db.t.field} set name = 'Prénom' where id = 101`);
  });

  test.each(["'", '\\', '|', '!', '-', ' ', ':'])('a separator of %j', async (columnSeparator) => {
    await tester.add('ada@x.example', { fld101: `a${columnSeparator}b`, fld103: '2026-01-01T00:00:00Z' });
    const { bytes } = await tester.export({ idsFields: ['101', '102', '1'], columnSeparator });
    const line = bytes.toString().split('\r\n')[1]!;
    expect(line).toBe(`"a${columnSeparator}b"${columnSeparator}${columnSeparator}ada@x.example`);
  });

  test('what a spreadsheet would take for a formula is quoted by the same rules, and not changed', async () => {
    const values = ['=1+1', '+1', '-1', '@a', '\tx', '\rx', "=cmd|' /c calc'!A0", '"=1+1', 'a;=1+1'];
    for (const [i, value] of values.entries()) await tester.add(`${i}@x.example`, { fld101: value });
    await t.db.run(sql`update ${t.db.t.field} set name = '=cmd|''x''!A1' where id = 101`);
    expect(await tester.text({ idsFields: ['101'], columnSeparator: ';' })).toBe(
      `=cmd|'x'!A1\r\n=1+1\r\n+1\r\n-1\r\n@a\r\n\tx\r\n"\rx"\r\n=cmd|' /c calc'!A0\r\n"""=1+1"\r\n"a;=1+1"\r\n`,
    );
    await t.db.run(sql`update ${t.db.t.field} set name = 'Prénom' where id = 101`);
  });

  test('in code page 1252, which is the default, other characters become ? and are counted', async () => {
    await tester.add('ada@x.example', { fld101: 'Zoë € Łódź 漢😀?' });
    const { done, bytes } = await tester.export({ idsFields: ['101'], codePage: null });
    expect(bytes).toEqual(Buffer.from('Pr\xe9nom\r\nZo\xeb \x80 ?\xf3d? ???\r\n', 'latin1'));
    expect(done).toMatchObject({ nbLines: 1, nbReplaced: 4 });
    const { data } = await t.call('GET', `/exports/${done.id}`);
    expect(data).toMatchObject({
      description: '1 subscribers; 4 characters that code page 1252 does not have, written as ?',
    });
  });

  test('a name that begins like a byte-order mark is quoted, so that none is there', async () => {
    await t.db.run(sql`update ${t.db.t.field} set name = 'ï»¿x' where id = 101`);
    const { bytes } = await tester.export({ idsFields: ['101'], codePage: 1252 });
    expect(bytes.toString('latin1')).toBe('"ï»¿x"\r\n');
    await t.db.run(sql`update ${t.db.t.field} set name = 'Prénom' where id = 101`);
  });
});

describe('the hash', () => {
  const digest = (name: string) => (text: string) => createHash(name).update(text).digest('hex');
  test.each([
    ['None', (text: string) => text],
    ['MD5', digest('md5')],
    ['SHA1', digest('sha1')],
    ['SHA2_256', digest('sha256')],
    ['SHA2_512', digest('sha512')],
  ] as const)('%s of the values one after the other, as they stand in the file', async (encoding, hash) => {
    await tester.add('Ada@example.com', {
      fld101: 'Zoë',
      fld103: '2026-07-01T10:00:00Z',
      fld104: true,
      fld105: 2,
    });
    await tester.add('bob@example.com');
    const idsEncodeFields = ['105', '1', '101', '103', '104'];
    const idsFields = ['0', '105'];
    const texts = await tester.text({ idsFields, idsEncodeFields, encoding, typeList: 'VALUE' });
    expect(texts).toBe(
      `Identifier;Ville;hash\r\n1;Lyon;${hash('LyonAda@example.comZoë2026-07-01 12:00:001')}\r\n` +
        `2;;${hash('bob@example.com')}\r\n`,
    );
    const keys = await tester.text({ idsFields: [], idsEncodeFields: ['105', '0'], encoding });
    expect(keys).toBe(`hash\r\n${hash('21')}\r\n${hash('2')}\r\n`);
  });
});

describe('the file', () => {
  test('packed by GZip, with the extension', async () => {
    await tester.add('ada@example.com');
    const { bytes } = await tester.export({ compress: 'GZip' });
    expect(gunzipSync(bytes).toString()).toBe('Email\r\nada@example.com\r\n');
    expect(tester.files()).toEqual(['people.csv.gz']);
  });

  test('packed by Zip: one entry, of the name without .zip', async () => {
    await tester.add('ada@example.com');
    const { bytes } = await tester.export({ compress: 'Zip', filename: 'people.zip' });
    const archive = await yauzl.fromBufferPromise(bytes);
    const contents: Record<string, string> = {};
    for await (const entry of archive.eachEntry())
      contents[entry.fileName] = await text(await archive.openReadStreamPromise(entry));
    expect(contents).toEqual({ 'people.csv': 'Email\r\nada@example.com\r\n' });
    expect(tester.files()).toEqual(['people.zip']);
  });

  test('in a sub-folder, which is made; by the service’s own name; over what had the name', async () => {
    const { done } = await tester.export({ filename: null, exportSubFolder: 'out/daily/' });
    expect(tester.files()).toEqual([
      'out',
      'out/daily',
      `out/daily/export_demo_${done.id}_20261120110000.csv`,
    ]);
    await tester.add('ada@example.com');
    mkdirSync(tester.folder, { recursive: true });
    writeFileSync(join(tester.folder, 'people.csv'), 'old');
    expect(await tester.text()).toBe('Email\r\nada@example.com\r\n');
  });

  test('replaces a planted link, and what it points to stays', async () => {
    mkdirSync(tester.folder, { recursive: true });
    const outside = join(t.dataDir, 'outside.csv');
    writeFileSync(outside, 'secret');
    symlinkSync(outside, join(tester.folder, 'people.csv'));
    symlinkSync(t.dataDir, join(tester.folder, 'link'));
    expect(await tester.text()).toBe('Email\r\n');
    const refused = await tester.run(
      await tester.create({ exportSubFolder: 'link', filename: 'outside.csv' }),
    );
    expect(refused).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining('A link is in the way'),
    });
    expect(readFileSync(outside, 'utf8')).toBe('secret');
    rmSync(outside);
  });

  test('a folder of that name makes it fail permanently, in words', async () => {
    mkdirSync(join(tester.folder, 'people.csv'), { recursive: true });
    const done = await tester.run(await tester.create());
    expect(done).toMatchObject({
      state: 'FAILED',
      nbLines: null,
      message: expect.stringContaining('cannot be written'),
    });
    expect(tester.files()).toEqual(['people.csv']);
  });
});

describe('what has changed since', () => {
  test('a file of a filter that has changed is re-read', async () => {
    for (const name of ['a', 'b', 'c']) await tester.add(`${name}@example.com`);
    const idTarget = await makeTarget(t.db, { isSafe: false });
    mkdirSync(tester.folder, { recursive: true });
    writeFileSync(join(tester.folder, 'list.csv'), 'a@example.com\n');
    const definition = {
      filename: 'list.csv',
      dbFieldName: 'fld1',
      fileAutomaticDeletionDate: '2027-12-31T23:00:00Z',
    };
    await setFilter(t.db, { idTarget, kind: 'file', isEnabled: true, definition });
    expect(await tester.text({ idTarget })).toBe('Email\r\na@example.com\r\n');
    writeFileSync(join(tester.folder, 'list.csv'), 'b@example.com\nc@example.com\n');
    expect(await tester.text({ idTarget })).toBe('Email\r\nb@example.com\r\nc@example.com\r\n');
    await t.db.run(sql`truncate ${t.db.t.filter_file}, ${t.db.t.filter_file_value}`);
  });

  test('a target or a field that no longer exists makes it fail permanently', async () => {
    const idTarget = await makeTarget(t.db);
    const id = await tester.create({ idTarget });
    await t.db.run(sql`update ${t.db.t.target} set deleted_at = now() where id = ${idTarget}`);
    expect(await tester.run(id)).toMatchObject({ state: 'FAILED', message: 'Target not found' });
    const later = await tester.create({ idsFields: ['1', '102'] });
    await t.db.transaction(async (tx) => {
      await tx.run(sql`delete from ${tx.t.field} where id = 102`);
    });
    expect(await tester.run(later)).toMatchObject({
      state: 'FAILED',
      message: 'Field fld102 no longer exists',
    });
    expect(await tester.jobs('finishExport')).toHaveLength(2);
    await t.db.run(sql`insert into ${t.db.t.field} (id, name, field_type) values (102, 'Points', 'Integer')`);
  });

  test('a second run of an export that has ended does nothing', async () => {
    const { done } = await tester.export();
    rmSync(join(tester.folder, 'people.csv'));
    expect(await tester.run(done.id)).toEqual(done);
    expect(tester.files()).toEqual([]);
    expect(await tester.jobs('finishExport')).toHaveLength(1);
  });

  test('an export whose every run was cut off is given up and reported; one that has ended is left alone', async () => {
    const id = await tester.create();
    const giveUp = (idExport: number) => runExport.gaveUp!(t.app, { idSite: t.db.site.id, idExport });
    await giveUp(id);
    expect(await tester.run(id)).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining('12 times'),
    });
    expect(await tester.jobs('finishExport')).toHaveLength(1);
    const { done } = await tester.export();
    await giveUp(done.id);
    expect(await tester.run(done.id)).toEqual(done);
  });
});
