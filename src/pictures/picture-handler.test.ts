import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type Listening, listening } from '../testing/listening.ts';
import { appOver } from '../testing/make-app.ts';
import { makePicture, onePixel } from '../testing/make-picture.ts';
import { noisePicture } from '../testing/noise-picture.ts';
import { type TcpProxy, tcpProxy } from '../testing/tcp-proxy.ts';
import { readPicturePath } from './picture-address.ts';
import { pictureHandler } from './picture-handler.ts';
import { insertPicture } from './picture-store.ts';

describe('public addresses of pictures', () => {
  let t: TestApp;
  let proxy: TcpProxy;
  let control: Database;
  let server: Server;
  let listener: Listening;
  let base: string;
  let path: string;
  beforeEach(async () => {
    t = await testApp({ operations: [] });
    proxy = await tcpProxy(t.connection);
    control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
    const handle = pictureHandler(appOver(t.app, control));
    server = createServer((request, response) => {
      if (!handle(request, response)) response.writeHead(418).end();
    });
    listener = await listening(server);
    base = listener.url;
    await makePicture(t.db);
    path = `/p/${t.db.site.id}/${await keyOf('png')}.png`;
  });
  afterEach(async () => {
    proxy.restore();
    await listener.close();
    await control.pool.end();
    await proxy.close();
    await t.close();
  });

  const keyOf = async (type: string) =>
    (await t.db.one<{ key: string }>(sql`select key from ${t.db.t.picture_file} where type = ${type}`)).key;
  const get = (of = path, init: RequestInit = {}) => fetch(base + of, init);
  const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer());

  async function add(content: Buffer, type: 'jpg' | 'gif'): Promise<string> {
    const values = {
      name: 'a',
      fileName: 'a',
      idDirectory: null,
      author: { id: 1, name: 'A' },
      at: new Date(),
    };
    const { key } = await t.db.transaction((tx) =>
      insertPicture(tx, { content, type, width: 1, height: 1 }, values, 0),
    );
    return `/p/${t.db.site.id}/${key}.${type}`;
  }

  it('200 to everybody, for ever, as a picture and nothing else', async () => {
    const reply = await get();
    expect(reply.status).toBe(200);
    expect((await bytesOf(reply)).equals(onePixel)).toBe(true);
    const headers = Object.fromEntries(reply.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(onePixel.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${await keyOf('png')}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(Object.keys(headers)).not.toContain('set-cookie');
    expect((await get(`${path}?utm=1`)).status).toBe(200);
  });

  it('a file that is a script as well is served as the picture that it is', async () => {
    const content = Buffer.concat([
      await noisePicture(6, 4, 'jpg'),
      Buffer.from('<script>alert(1)</script>'),
    ]);
    const reply = await get(await add(content, 'jpg'));
    const { headers } = reply;
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      'image/jpeg',
      'nosniff',
    ]);
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('HEAD, and 304 for one who has it', async () => {
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), (await bytesOf(head)).length]).toEqual([
      ...[200, String(onePixel.length), 0],
    ]);
    const etag = head.headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await get(path, { headers: { 'if-none-match': known } });
      expect([reply.status, reply.headers.get('etag'), (await bytesOf(reply)).length]).toEqual([
        304,
        etag,
        0,
      ]);
    }
    expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('404 for what nobody has, in any form', async () => {
    const key = await keyOf('png');
    const unknown = [
      `/p/${t.db.site.id}/${'A'.repeat(22)}.png`,
      `/p/${t.otherDb.site.id}/${key}.png`,
      `/p/${t.db.site.id}/${key}.gif`,
      `/p/${t.db.site.id}/${key}`,
      `/p/999999/${key}.png`,
      `/p/${t.db.site.id}/${key}.png/`,
      `/p/${t.db.site.id}/..%2f${key}.png`,
      `/p/${t.db.site.id}/${key}.constructor`,
      '/p/',
    ];
    for (const one of unknown) {
      const reply = await get(one);
      expect([one, reply.status, reply.headers.get('cache-control')]).toEqual([one, 404, 'no-store']);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    expect((await get('/v1/demo/pictures')).status).toBe(418);
  });

  it('each answer has a request id of its own', async () => {
    const replies = [
      await get(),
      await get(),
      await get('/p/1/nobody.png'),
      await get(path, { method: 'PUT' }),
    ];
    const ids = replies.map((reply) => reply.headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('405 for other methods', async () => {
    const reply = await get(path, { method: 'POST', body: 'x' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('while the database is unavailable, a picture that was requested is there; others are 503', async () => {
    const other = await add(await noisePicture(6, 4, 'gif'), 'gif');
    expect((await get()).status).toBe(200);
    proxy.cut();
    expect((await get()).status).toBe(200);
    const reply = await get(other);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    proxy.restore();
    await vi.waitFor(async () => expect((await get(other)).status).toBe(200), { timeout: 100_000 });
  });

  it('many at once ask the database once', async () => {
    let asked = 0;
    control.pool.on('acquire', () => asked++);
    const replies = await Promise.all(Array.from({ length: 50 }, () => get()));
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
    // Once for the site, once for the file.
    expect(asked).toBe(2);
  });

  it('503 while too much is on its way to readers who do not read, and 200 when they no longer exist', async () => {
    const size = 9 * 1024 ** 2;
    const paths: string[] = [];
    for (let i = 0; i < 16; i++) paths.push(await add(Buffer.alloc(size, i + 1), 'gif'));
    const stalled: ClientRequest[] = [];
    const statuses: number[] = [];
    // One after the other: all at once, a busy machine could take longer for them than a reading may.
    for (const one of paths.slice(0, 15)) {
      const request = httpRequest(base + one);
      stalled.push(request);
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      statuses.push(response.pause().statusCode ?? 0);
    }
    expect(statuses).toEqual([...Array<number>(14).fill(200), 503]);
    for (const request of stalled) request.destroy();
    await vi.waitFor(async () => expect((await get(paths[15])).status).toBe(200), { timeout: 100_000 });
  });

  it('nothing is held for readers who disconnected before their turn', async () => {
    const paths: string[] = [];
    for (let i = 0; i < 15; i++) paths.push(await add(Buffer.alloc(9 * 1024 ** 2, i + 1), 'gif'));
    const other = paths.pop()!;
    const come = deferred();
    const go = deferred();
    let asked = 0;
    let gone = 0;
    server.on('request', (_, response) => {
      response.once('close', () => ++gone === paths.length && go.resolve());
      if (++asked === paths.length) come.resolve();
    });
    // The lock is granted only when all readers have finished.
    await t.db.transaction(async (tx) => {
      await tx.run(sql`lock table ${tx.t.picture_file} in access exclusive mode`);
      const readers = paths.map((one) => httpRequest(base + one).on('error', () => undefined));
      for (const reader of readers) reader.end();
      await come.promise;
      for (const reader of readers) reader.destroy();
      await go.promise;
    });
    // Requested after the others, it is served when they are; retried, because a busy machine may take too long.
    await vi.waitFor(async () => expect((await get(other)).status).toBe(200), { timeout: 100_000 });
  });

  it('nothing is held for answers behind one that nobody reads', async () => {
    const paths: string[] = [];
    for (let i = 0; i < 16; i++) paths.push(await add(Buffer.alloc(9 * 1024 ** 2, i + 1), 'gif'));
    const other = paths.pop()!;
    const come = deferred();
    let asked = 0;
    server.on('request', () => ++asked === paths.length && come.resolve());
    const reader = connect(listener.port, '127.0.0.1').pause();
    reader.on('error', () => undefined);
    reader.write(paths.map((one) => `GET ${one} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await come.promise;
    // Requested after the others, it would be served only after them, or after 120 s without a reader. It is requested
    // again because a busy machine may take too long to read it.
    await vi.waitFor(async () => expect((await get(other)).status).toBe(200), { timeout: 60_000 });
    reader.destroy();
  });
});

/** A promise, and what resolves it. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

it.each([
  ['/p/0/AAAAAAAAAAAAAAAAAAAAAA.png', undefined],
  ['/p/1/AAAAAAAAAAAAAAAAAAAAAA.png?/p/', { idSite: 1, key: 'A'.repeat(22), type: 'png' }],
  ['/p/1234567890/AAAAAAAAAAAAAAAAAAAAAA.png', undefined],
  ['/p/1/AAAAAAAAAAAAAAAAAAAAAA.svg', undefined],
  ['/p/1/AAAAAAAAAAAAAAAAAAAAAA.png#', undefined],
])('readPicturePath of %s', (path, address) => {
  expect(readPicturePath(path)).toEqual(address);
});
