import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, listening, type PictureHost, pictureHost } from '../testing/listening.ts';

import { FetchFailure, type FetchOptions, fetchPublic } from './egress-fetch.ts';
import { parseNetworks } from './network.ts';

const loopback = parseNetworks('127.0.0.0/8');
const usual = { allowed: loopback, maxBytes: 1_000, timeoutMs: 5_000 };
const unasked = () => Promise.reject(new Error('a name server was asked'));
const to =
  (location: string, status = 302): Answer =>
  (_, response) =>
    void response.writeHead(status, { location, 'set-cookie': 'a=b' }).end();

/** Sends a byte now and then, so that no silence ever lasts. */
function drip(response: ServerResponse, write: (byte: string) => unknown): void {
  const timer = setInterval(() => write('x'), 5);
  response.once('close', () => clearInterval(timer));
}

/** Why a fetch failed. */
async function failure(url: string, options: Partial<FetchOptions> = {}): Promise<string> {
  const failed = await fetchPublic(url, { ...usual, ...options }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(FetchFailure);
  return (failed as Error).message;
}

describe('fetchPublic', () => {
  let host: PictureHost;
  beforeAll(async () => {
    host = await pictureHost({
      '/a': Buffer.from('picture'),
      '/redirected': to('/a?b=c'),
      '/3': to('/2'),
      '/2': to('/1', 307),
      '/1': to('/redirected', 308),
      '/20': to('/20'),
      '/file': to('file:///etc/passwd'),
      '/gopher': to('gopher://127.0.0.1:70/'),
      '/metadata': to('http://169.254.169.254/latest/'),
      '/hexadecimal': to('http://0x0a000001/'),
      '/nowhere': (_, response) => void response.writeHead(302).end(),
      '/broken': to('http://['),
      '/large': Buffer.alloc(1_001),
      '/endless': (_, response) => {
        const more = (): void => {
          if (response.destroyed) return;
          response.write('x'.repeat(100));
          setImmediate(more);
        };
        more();
      },
      '/silent': () => undefined,
      '/stalled': (_, response) => void response.writeHead(200).write('x'),
      '/dripping': (_, response) => drip(response, (byte) => response.write(byte)),
      '/dripping-head': (_, response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\nx: ');
        drip(response, (byte) => response.socket?.write(byte));
      },
      '/cut': (_, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy());
      },
      '/gzip': (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
      },
      '/long-head': (_, response) => void response.writeHead(200, { x: 'x'.repeat(20_000) }).end('x'),
    });
  });
  afterAll(() => host.close());

  it('returns the bytes, and reveals only our name', async () => {
    expect(await fetchPublic(`${host.url}/a`, usual)).toEqual(Buffer.from('picture'));
    expect(Object.keys(host.asked.at(-1)!.headers).sort()).toEqual([
      ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ]);
    expect(host.asked.at(-1)!.headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': 'Facteur',
    });
  });

  it('connects to the address that was looked at, with the name in the request', async () => {
    const lookup = async () => ['127.0.0.1'];
    await fetchPublic(`http://pictures.example:${host.port}/a`, { ...usual, lookup });
    expect(host.asked.at(-1)!.headers.host).toBe(`pictures.example:${host.port}`);
  });

  it('follows three redirects, without the cookies they set, and no fourth', async () => {
    expect(await fetchPublic(`${host.url}/2`, usual)).toEqual(Buffer.from('picture'));
    expect(host.asked.at(-1)!.headers.cookie).toBe(undefined);
    expect(host.asked.at(-1)!.headers.referer).toBe(undefined);
    const before = host.asked.length;
    expect(await failure(`${host.url}/3`)).toBe('more than 3 redirects');
    expect(await failure(`${host.url}/20`)).toBe('more than 3 redirects');
    expect(host.asked.length - before).toBe(8);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['169.254.169.254', '169.254.169.254'],
    ['10.0.0.1', '10.0.0.1'],
    ['192.168.0.1', '192.168.0.1'],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ['[::ffff:a9fe:a9fe]', '[::ffff:a9fe:a9fe]'],
    ['0x7f000001', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['①②⑦.0.0.1', '127.0.0.1'],
  ])('http://%s/ is an internal address, and nobody is asked', async (typed, read) => {
    const message = `url: ${read} is an internal address; an operator can allow its network (FACTEUR_PRIVATE_NETWORKS)`;
    const before = host.asked.length;
    expect(await failure(`http://${typed}:${host.port}/a`, { allowed: [], lookup: unasked })).toBe(message);
    expect(host.asked.length).toBe(before);
  });

  it('a name that leads inside is refused, and so is one whose second answer does (rebinding)', async () => {
    const inside = async () => ['10.0.0.1', '::1'];
    expect(await failure('http://in.example/', { lookup: inside })).toContain('internal address');
    // Allowed at the look, elsewhere afterwards: only what was looked at is connected to.
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const lookup = async () => answers.shift()!;
    const url = `http://rebinding.example:${host.port}`;
    expect(await fetchPublic(`${url}/a`, { ...usual, lookup })).toEqual(Buffer.from('picture'));
    expect(answers).toHaveLength(1);
    // Each redirect is a look of its own.
    answers.unshift(['127.0.0.1']);
    expect(await failure(`${url}/redirected`, { lookup })).toContain('internal address');
  });

  it.each([
    ['/file', 'only http and https are fetched, not file:'],
    ['/gopher', 'only http and https are fetched, not gopher:'],
    ['/nowhere', 'redirect (HTTP 302) without a valid address'],
    ['/broken', 'redirect (HTTP 302) without a valid address'],
  ])('a redirect of %s: %s', async (path, message) => {
    expect(await failure(`${host.url}${path}`)).toBe(message);
  });

  it.each(['/metadata', '/hexadecimal'])('a redirect to the inside (%s) is refused', async (path) => {
    expect(await failure(`${host.url}${path}`)).toContain('is an internal address');
  });

  it.each([
    ['file:///etc/passwd', 'only http and https are fetched, not file:'],
    ['data:image/png;base64,AA==', 'only http and https are fetched, not data:'],
    ['http://', 'not a valid URL'],
    ['http://me:secret@example.com/', 'the URL contains credentials; remove them'],
  ])('%s: %s', async (url, message) => {
    expect(await failure(url, { lookup: unasked })).toBe(message);
  });

  it('other ports than 80 and 443 are used in allowed networks only', async () => {
    const lookup = async () => ['8.8.8.8'];
    expect(await failure('http://ports.example:8080/', { lookup })).toBe(
      'port 8080: only ports 80 and 443 are allowed',
    );
    expect(await failure('https://ports.example:22/', { lookup })).toContain('port 22');
  });

  it.each([
    ['/404', 'HTTP 404'],
    ['/large', 'larger than 1000 bytes'],
    ['/endless', 'larger than 1000 bytes'],
    ['/cut', 'the server cannot be reached (ECONNRESET)'],
    ['/gzip', 'the response is compressed, although it must not be'],
    ['/long-head', 'the server cannot be reached (HPE_HEADER_OVERFLOW)'],
  ])('%s: %s', async (path, message) => {
    expect(await failure(`${host.url}${path}`)).toBe(message);
  });

  it.each(['/silent', '/stalled', '/dripping', '/dripping-head'])(
    '%s: aborted when the time has run out',
    async (path) => {
      expect(await failure(`${host.url}${path}`, { timeoutMs: 200 })).toBe(
        'no complete response within 0.2 seconds',
      );
      const ended = AbortSignal.timeout(100);
      expect(await failure(`${host.url}${path}`, { signal: ended })).toContain('aborted');
    },
  );

  it('a name server that never answers is not waited for', async () => {
    const lookup = () => new Promise<string[]>(() => undefined);
    expect(await failure('http://slow.example/', { timeoutMs: 100, lookup })).toContain(
      'no complete response',
    );
    // Neither does a call whose time ran out while it waited for its turn.
    const signal = AbortSignal.abort();
    expect(await failure('http://slow.example/', { signal, lookup })).toBe(
      'aborted: the total time limit was reached',
    );
  });

  it('reports an unknown name, and a port where nothing listens, without addresses', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await failure('http://no.example/', { lookup })).toBe(
      'The host no.example cannot be resolved (ENOTFOUND)',
    );
    const closed = await pictureHost({});
    await closed.close();
    expect(await failure(`${closed.url}/`)).toBe('the server cannot be reached (ECONNREFUSED)');
  });

  it('a server whose certificate nobody vouches for is not asked', async () => {
    // Any server with a certificate of its own does, and this one brings one.
    const server = new SMTPServer({ secure: true });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const lookup = async () => ['127.0.0.1'];
    expect(await failure(`https://pictures.example:${port}/`, { lookup })).toMatch(/\((\w*CERT\w*)\)$/);
    await new Promise<void>((resolve) => server.close(resolve));
  });

  it('reports a server that speaks no HTTP, or no TLS', async () => {
    const server = createServer((socket) => void socket.end('220 mail.example ESMTP\r\n'));
    const { port, close } = await listening(server);
    expect(await failure(`http://127.0.0.1:${port}/`)).toContain('the server cannot be reached (HPE_');
    expect(await failure(`https://127.0.0.1:${port}/`)).toContain('the server cannot be reached (');
    await close();
  });
});
