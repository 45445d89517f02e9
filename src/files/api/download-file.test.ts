import {
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { until } from '../../testing/until.ts';
import { OpenUploads, openUploadsBeside } from '../open-uploads.ts';
import { setDefaultRepository } from '../repository-store.ts';
import { siteFolderPath } from '../sftp-server.ts';

describe('downloadFile', () => {
  let t: TestApp;
  let folder: string;
  beforeEach(async () => {
    t = await testApp();
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(folder, { recursive: true });
  });
  afterEach(() => t.close());

  const put = (name: string, bytes: string | Buffer) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  };
  const pathOf = (name: string) => `/v1/demo/files?name=${encodeURIComponent(name)}`;
  const download = (name: string, method: 'GET' | 'HEAD' = 'GET') =>
    t.server.inject({ method, url: pathOf(name), headers: { authorization: t.token('editor') } });
  const refusal = async (name: string) => {
    const response = await download(name);
    return [response.statusCode, response.json().error];
  };
  /** Starts a download that the client does not read. */
  const unread = async (name: string) => {
    await t.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.server.server.address() as AddressInfo;
    const asked = get({
      port,
      host: '127.0.0.1',
      path: pathOf(name),
      headers: { authorization: t.token('editor') },
    });
    const response = await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));
    return { asked, response };
  };
  const isOpen = (name: string) =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === join(folder, name);
      } catch {
        return false;
      }
    });

  it('200 sends the bytes as they are, to be saved and never shown', async () => {
    const bytes = Buffer.from('\ufeff<script>alert(1)</script>;é\r\n\0\xff', 'latin1');
    put('exports/été.html', bytes);
    const { statusCode, headers, rawPayload } = await download('exports/e\u0301te\u0301.html');
    expect([statusCode, rawPayload]).toEqual([200, bytes]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="ete.html"; filename*=UTF-8''%C3%A9t%C3%A9.html`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('200 for an empty file, and HEAD returns its size alone', async () => {
    put('empty.csv', '');
    put('a.csv', 'a;b\n');
    expect(await download('empty.csv')).toMatchObject({ statusCode: 200, payload: '' });
    const head = await download('a.csv', 'HEAD');
    expect([head.statusCode, head.headers['content-length'], head.payload]).toEqual([200, '4', '']);
  });

  it('does not read a file for HEAD', async () => {
    put('large.csv', Buffer.alloc(64 * 1024 ** 2, 'a'));
    const head = await download('large.csv', 'HEAD');
    expect(head.headers['content-length']).toBe(String(64 * 1024 ** 2));
    await until(() => !isOpen('large.csv'), 'the file to be closed');
  });

  it.each([
    '../secret',
    'a/../../secret',
    '/etc/passwd',
    '..',
    '.',
    '',
    'folder',
    'nothing.csv',
    'a\\b',
    'link',
    'hard',
    'away/secret',
  ])('404 for %j, which is no file of the folder', async (name) => {
    const secret = join(t.dataDir, 'secret');
    writeFileSync(secret, 'secret');
    writeFileSync(join(dirname(folder), 'secret'), 'secret');
    put('folder/a.csv', 'a');
    symlinkSync(secret, join(folder, 'link'));
    symlinkSync(t.dataDir, join(folder, 'away'));
    linkSync(secret, join(folder, 'hard'));
    expect(await refusal(name)).toEqual([404, 'File not found']);
  });

  it("404 for another site's file", async () => {
    const other = siteFolderPath(t.dataDir, t.otherDb.site.id);
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'a.csv'), 'a');
    expect(await refusal('a.csv')).toEqual([404, 'File not found']);
    expect(await refusal(`../${t.otherDb.site.id}/a.csv`)).toEqual([404, 'File not found']);
  });

  it('409 for a missing file of a site whose files are at another SFTP account', async () => {
    put('a.csv', 'a');
    const id = await makeRepository(t.db, t.app.secrets);
    await setDefaultRepository(t.db, id);
    expect(await refusal('b.csv')).toEqual([
      409,
      expect.stringContaining(`Imports and exports of this site use the SFTP account ${id}`),
    ]);
    // An export can name the folder.
    expect((await download('a.csv')).payload).toBe('a');
  });

  it('503 while a client uploads the file', async () => {
    put('a.csv', 'half');
    const { ino } = statSync(join(folder, 'a.csv'));
    const uploads = new OpenUploads(openUploadsBeside(folder));
    const end = await uploads.begin(ino);
    expect(await refusal('a.csv')).toEqual([503, expect.stringContaining('still being uploaded')]);
    await end();
    uploads.close();
    expect((await download('a.csv')).payload).toBe('half');
  });

  it('holds no more of a large file than a client reads, and closes it when the client disconnects', async () => {
    put('large.csv', Buffer.alloc(64 * 1024 ** 2, 'a'));
    const before = process.memoryUsage().rss;
    const { asked, response } = await unread('large.csv');
    expect(response.headers['content-length']).toBe(String(64 * 1024 ** 2));
    await until(() => isOpen('large.csv'), 'the file to be open');
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 ** 2);
    asked.on('error', () => undefined);
    response.on('error', () => undefined);
    asked.destroy();
    await until(() => !isOpen('large.csv'), 'the file to be closed');
  });

  it('breaks the response off when the file shrinks while it is sent', async () => {
    put('large.csv', Buffer.alloc(64 * 1024 ** 2, 'a'));
    const { response } = await unread('large.csv');
    truncateSync(join(folder, 'large.csv'), 8 * 1024 ** 2);
    const end = new Promise((resolve) => response.once('error', resolve).once('end', () => resolve('whole')));
    response.resume();
    expect(await end).toMatchObject({ code: 'ECONNRESET' });
  });
});
