import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setDefaultRepository } from '../../files/repository-store.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { contentOfValues } from '../content-data-store.ts';
import { contentsOperations } from '../operations.ts';

describe('createContentData', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    folder = siteFolderPath(t.app.config.dataDir, t.db.site.id);
    await mkdir(join(folder, 'sub'), { recursive: true });
  });
  afterAll(() => t.close());

  const put = (name: string, bytes: string | Buffer) => writeFile(join(folder, name), bytes);
  const create = (body: object) => t.call('POST', '/content-data', { body, as: 'editor' });
  const rowsOf = async (key: string, ...values: string[]) =>
    Object.fromEntries(await contentOfValues(t.db, key, values));
  const count = async () =>
    (await t.db.one<{ n: number }>(sql`select count(*)::int as n from ${t.db.t.content_data_row}`)).n;

  it('200 with the tag, and the rows are those of the file', async () => {
    await put('prices.csv', '\ufeffParis;10 € <b>\r\n LYON ;20\r\nparis;30\r\n');
    expect(await create({ key: 'prices', dataFilePath: '/prices.csv' })).toMatchObject({
      status: 200,
      data: '[[DATA.prices.fldN]]',
      typeName: 'String',
    });
    expect(await rowsOf('PRICES', 'paris', 'lyon', 'nice')).toEqual({ paris: '30', lyon: '20' });
  });

  it.each([
    ['DATA.offers', '[[DATA.offers.fldN]]'],
    ['[[DATA.offers.fld101]]', '[[DATA.offers.fld101]]'],
    ['[[ data.offers ]]', '[[DATA.offers.fldN]]'],
  ])('200 for the key %s in the form of the tag', async (key, tag) => {
    await put('offers.txt', 'a\tb\n');
    const terminators = { dataFieldTerminator: '{TAB}', dataRowTerminator: '{LF}' };
    expect((await create({ key, dataFilePath: 'offers.txt', ...terminators })).data).toBe(tag);
    expect(await rowsOf('offers', 'a')).toEqual({ a: 'b' });
  });

  it('200 with terminators of several characters, packed, in a sub-directory', async () => {
    await put('sub/rows.gz', gzipSync('x||1;\r\n2##y||3##'));
    const body = {
      key: 'rows',
      dataFilePath: '/sub/rows.gz',
      dataFieldTerminator: '||',
      dataRowTerminator: '##',
    };
    expect((await create(body)).status).toBe(200);
    expect(await rowsOf('rows', 'x', 'y')).toEqual({ x: '1;\r\n2', y: '3' });
  });

  it('200 replaces the previous rows, and leaves no others', async () => {
    await put('one.csv', 'a;1\r\nb;2\r\n');
    await create({ key: 'one', dataFilePath: 'one.csv' });
    const before = await count();
    await put('one.csv', 'b;3\r\nc;4\r\n');
    expect((await create({ key: 'ONE', dataFilePath: 'one.csv' })).status).toBe(200);
    expect(await rowsOf('one', 'a', 'b', 'c')).toEqual({ b: '3', c: '4' });
    expect(await count()).toBe(before);
  });

  it.each([
    ['a row of three columns', 'a;1\r\nb;2;3\r\n', 'dataFilePath: row 2 has 3 columns, not 2'],
    ['a row of one column', 'a\r\n', 'dataFilePath: row 1 has 1 columns, not 2'],
    ['a row without a value', ';1\r\n', 'dataFilePath: row 1 has no value in its first column'],
    [
      'a value of 501 characters',
      `${'a'.repeat(501)};1\r\n`,
      'dataFilePath: row 1 has a value of more than 500',
    ],
    [
      'bytes that are no UTF-8',
      Buffer.from([0x61, 0x3b, 0xe9, 0x0d, 0x0a]),
      'dataFilePath: row 1 holds bytes',
    ],
  ])('422 for %s, and the rows of before stay', async (_, bytes, error) => {
    await put('kept.csv', 'a;kept\r\n');
    await create({ key: 'kept', dataFilePath: 'kept.csv' });
    await put('bad.csv', bytes);
    const reply = await create({ key: 'kept', dataFilePath: 'bad.csv' });
    expect(reply).toMatchObject({ status: 422, error: expect.stringContaining(error) });
    expect(await rowsOf('kept', 'a')).toEqual({ a: 'kept' });
  });

  it.each([
    ['that is not there', '/none.csv', 'does not exist'],
    ['outside of the repository', '../../secret', 'dataFilePath: '],
    ['of the machine', '/etc/passwd', 'does not exist'],
  ])('422 for a file %s', async (_, dataFilePath, error) => {
    const reply = await create({ key: 'none', dataFilePath });
    expect(reply).toMatchObject({ status: 422, error: expect.stringContaining(error) });
  });

  it.each([
    [{ key: '', dataFilePath: 'a' }, 'key: '],
    [{ key: 'a[b', dataFilePath: 'a' }, 'key: must be 1 to 100 characters'],
    [{ key: 'a', dataFilePath: 'a', dataFieldTerminator: '' }, 'dataFieldTerminator: must not be empty'],
    [{ key: 'a', dataFilePath: 'a', dataRowTerminator: '' }, 'dataRowTerminator: must not be empty'],
    [{ key: 'a', dataFilePath: 'a', dataFieldTerminator: '\n' }, 'dataFieldTerminator: must differ'],
  ])('400 for %j', async (body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('503 when the repository is unavailable', async () => {
    const id = await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port: 1 });
    await setDefaultRepository(t.db, id);
    expect((await create({ key: 'a', dataFilePath: 'a' })).status).toBe(503);
  });
});
