import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { until } from '../../testing/until.ts';
import { embeddedRepository } from '../repository.ts';
import { setDefaultRepository } from '../repository-store.ts';
import { siteFolderPath } from '../sftp-server.ts';

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('uploadFile', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp({ config: { sftpQuotaBytes: 200_000 } });
  });
  afterEach(() => t.close());

  const folder = () => siteFolderPath(t.dataDir, t.db.site.id);
  const headers = (type = 'application/octet-stream') => ({
    authorization: t.token('editor'),
    'content-type': type,
  });
  const upload = async (name: string, payload: string | Buffer = 'a;b\n', type?: string) => {
    const url = `/v1/demo/files?name=${encodeURIComponent(name)}`;
    const response = await t.server.inject({ method: 'POST', url, headers: headers(type), payload });
    return { status: response.statusCode, ...response.json() };
  };

  it('200 stores the bytes as they are, and replaces an older file', async () => {
    expect(await upload('people.csv')).toMatchObject({
      status: 200,
      typeName: 'UploadedFile',
      data: { path: 'people.csv', sizeInBytes: 4 },
    });
    const bytes = Buffer.from([0, 255, 13, 10, 0xc3, 0xa9]);
    expect((await upload('people.csv', bytes)).data).toEqual({ path: 'people.csv', sizeInBytes: 6 });
    expect(readFileSync(join(folder(), 'people.csv'))).toEqual(bytes);
    expect(readdirSync(folder())).toEqual(['people.csv']);
  });

  it('200 makes folders, composes accents, and takes an empty file', async () => {
    const name = 'données/e\u0301té.csv';
    expect((await upload(name, '')).data).toEqual({ path: name.normalize('NFC'), sizeInBytes: 0 });
    expect(readFileSync(join(folder(), name.normalize('NFC')), 'utf8')).toBe('');
  });

  it.each(['', '../a.csv', '/etc/passwd', 'a//b.csv', 'a\\b.csv', 'a\u0000b', 'x'.repeat(300)])(
    '400 for the name %j, and nothing is stored',
    async (name) => {
      expect(await upload(name)).toMatchObject({ status: 400, error: expect.stringMatching(/^name: /) });
      expect(existsSync(folder()) ? readdirSync(folder()) : []).toEqual([]);
    },
  );

  it('400 for the name of a folder, and for a folder that is a file', async () => {
    await upload('folder/a.csv');
    for (const name of ['folder', 'folder/a.csv/b.csv'])
      expect(await upload(name)).toMatchObject({
        status: 400,
        error: expect.stringMatching(/^name: a folder/),
      });
    expect(readdirSync(folder())).toEqual(['folder']);
    expect(readFileSync(join(folder(), 'folder/a.csv'), 'utf8')).toBe('a;b\n');
  });

  it('400 for a body that is no file', async () => {
    expect(await upload('a.csv', '{}', 'application/json')).toMatchObject({
      status: 400,
      error: 'The body must be a file (content-type: application/octet-stream)',
    });
    expect(await upload('a.csv', 'a', 'text/csv')).toMatchObject({ status: 400 });
  });

  it('409 when imports of the site read from another SFTP account, and nothing is stored', async () => {
    const id = await makeRepository(t.db, t.app.secrets);
    await setDefaultRepository(t.db, id);
    expect(await upload('people.csv')).toMatchObject({
      status: 409,
      error: expect.stringContaining(
        `read from the SFTP account ${id}, not from the site's folder; put the file there`,
      ),
    });
    expect(existsSync(folder())).toBe(false);
    await setDefaultRepository(t.db, embeddedRepository);
    expect(await upload('people.csv')).toMatchObject({ status: 200 });
  });

  it('413 beyond the quota of the folder, and the older file stays', async () => {
    await upload('people.csv');
    expect(await upload('people.csv', Buffer.alloc(300_000))).toMatchObject({
      status: 413,
      error: expect.stringContaining('quota'),
    });
    expect(readdirSync(folder())).toEqual(['people.csv']);
    expect(readFileSync(join(folder(), 'people.csv'), 'utf8')).toBe('a;b\n');
  });

  it('413 for a file larger than 64 MB', async () => {
    const wide = await testApp();
    try {
      const reply = await wide.server.inject({
        method: 'POST',
        url: '/v1/demo/files?name=a.csv',
        headers: { ...headers(), authorization: wide.token('editor') },
        payload: Buffer.alloc(64 * 1024 ** 2 + 1),
      });
      expect([reply.statusCode, reply.json().error]).toEqual([
        413,
        'The body is larger than the 64 MB that this operation takes',
      ]);
      expect(readdirSync(siteFolderPath(wide.dataDir, wide.db.site.id))).toEqual([]);
    } finally {
      await wide.close();
    }
  });

  it('leaves nothing, not even the folders, when the client disconnects before the end', async () => {
    await t.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.server.server.address() as AddressInfo;
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/v1/demo/files?name=${encodeURIComponent('deep/er/a.csv')}`,
      headers: { ...headers(), 'content-length': 100_000 },
    });
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(50_000));
    const names = () => (existsSync(folder()) ? readdirSync(folder()) : []);
    await until(() => names().some((name) => name.startsWith('.upload-')), 'the temporary file');
    expect(names()).toContain('deep');
    sent.destroy();
    await until(() => names().length === 0, 'the temporary file and the folders to be removed');
  });

  it('removes what a killed process left an hour ago, and nothing else', async () => {
    mkdirSync(folder(), { recursive: true });
    const names = [`.upload-${uuid}.tmp`, `.upload-${uuid.replace('0', '1')}.tmp`, '.upload-x.tmp'];
    for (const [i, name] of names.entries()) {
      const path = join(folder(), name);
      writeFileSync(path, 'half');
      const at = new Date(t.clock.now().getTime() - (i === 1 ? 60_000 : 7_200_000));
      utimesSync(path, at, at);
    }
    // A folder of such a name, which an SFTP client made, stays as well.
    const path = join(folder(), `.upload-${uuid.replace('0', '2')}.tmp`);
    mkdirSync(path);
    utimesSync(path, 0, 0);
    expect(await upload('a.csv')).toMatchObject({ status: 200 });
    expect(readdirSync(folder()).sort()).toEqual([names[1], names[2], basename(path), 'a.csv'].sort());
  });
});
