import { execFile } from 'node:child_process';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { describeWith } from '../../testing/daemon.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let t: TestApp;
let address: string;
beforeAll(async () => {
  t = await testApp();
  address = await t.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => t.close());

/** A request by Node's client, which undoes no encoding. */
async function ask(
  path: string,
  { method = 'GET', ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const authorization = t.token(path.startsWith('/admin') ? 'admin' : 'sender');
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${address}${path}`, { method, headers: { authorization, ...headers } });
    asked.once('error', reject);
    asked.once('response', (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
        reject,
      );
    });
    asked.end();
  });
}

/** About 20 kB. */
const fields = '/v1/demo/fields?type=Unspecified';

/** Removes headers that change with each request. */
function lasting({ date: _, 'x-request-id': __, 'keep-alive': ___, ...headers }: IncomingHttpHeaders) {
  return headers;
}

describe('HEAD', () => {
  it.each([
    ['a long answer', fields, {}],
    ['a compressed one', fields, { 'accept-encoding': 'br' }],
    ['a short one', '/v1/demo/targets/999', {}],
    ['administration', '/admin/v1/sites', {}],
    ['an address that is none', '/v1/demo/nothing', {}],
  ])('has the status and the headers of GET, and no body: %s', async (_what, path, headers) => {
    const [got, head] = [await ask(path, headers), await ask(path, { ...headers, method: 'HEAD' })];
    expect(head.status).toBe(got.status);
    expect(lasting(head.headers)).toEqual(lasting(got.headers));
    expect(head.headers['content-length']).toBe(String(got.body.length));
    expect(head.body).toHaveLength(0);
  });

  it('needs the same token as GET', async () => {
    expect((await ask(fields, { method: 'HEAD', authorization: 'Bearer wrong' })).status).toBe(401);
    const response = await t.server.inject({ method: 'HEAD', url: '/v1/demo/fields?type=Unspecified' });
    expect(response.statusCode).toBe(401);
  });
});

describe('compression', () => {
  it.each([
    ['br', brotliDecompressSync, 'gzip, deflate, br'],
    ['gzip', gunzipSync, 'gzip, deflate'],
    ['gzip', gunzipSync, 'br;q=0.2, gzip;q=0.8'],
    ['br', brotliDecompressSync, '*'],
  ])('answers %s', async (encoding, undo, accepted) => {
    const plain = await ask(fields);
    const packed = await ask(fields, { 'accept-encoding': accepted });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(packed.body.length * 4).toBeLessThan(plain.body.length);
    expect(undo(packed.body)).toEqual(plain.body);
    for (const { headers } of [plain, packed]) expect(headers.vary).toBe('Accept-Encoding');
  });

  it.each([
    ['who asks for none', fields, 'identity'],
    ['who refuses all', fields, 'br;q=0, gzip;q=0'],
    ['who asks for what nobody has', fields, 'zstd'],
    ['a short answer', '/v1/demo/targets/999', 'br'],
    // Its answers hold passwords and tokens: their length must tell nothing (BREACH).
    ['administration', '/admin/v1/sites', 'gzip, br'],
  ])('answers %s as it is', async (_who, path, accepted) => {
    const { headers, body } = await ask(path, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body.toString())).toHaveProperty('typeName');
  });
});

describe('ETag', () => {
  it('304 for a client that already has the response, compressed or not, and 200 for a new one', async () => {
    const { headers, status } = await ask(fields);
    const etag = headers.etag!;
    expect([status, etag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{22}"$/)]);
    expect((await ask(fields, { 'accept-encoding': 'br' })).headers.etag).toBe(etag);
    for (const method of ['GET', 'HEAD']) {
      for (const held of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
        const again = await ask(fields, { method, 'if-none-match': held, 'accept-encoding': 'br' });
        expect([again.status, again.headers.etag, again.body.length]).toEqual([304, etag, 0]);
        expect(again.headers['content-encoding']).toBeUndefined();
      }
    }
    expect((await ask(fields, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    const changed = await t.call('POST', '/fields', {
      body: { name: 'Shoe size', fieldType: 'Text', length: 10 },
    });
    const later = await ask(fields, { 'if-none-match': etag });
    expect([changed.status, later.status, later.headers.etag === etag]).toEqual([200, 200, false]);
  });

  it('does not be on failures and short answers', async () => {
    expect((await ask('/v1/demo/targets/999', { 'if-none-match': '*' })).status).toBe(404);
    expect((await ask('/v1/demo/targets/999')).headers.etag).toBeUndefined();
  });
});

it.each([fields, '/v1/demo/targets/999', '/v1/nosuch/fields', '/admin/v1/sites', '/v1/demo/nothing'])(
  'no cache may keep %s',
  async (path) => {
    expect((await ask(path)).headers['cache-control']).toBe('no-store');
  },
);

/** Sends a body of so many megabytes by urllib, which reads nothing before it has sent everything. */
const upload = `
import sys, urllib.error, urllib.request
address, token, megabytes, chunked = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == 'chunked'
body = b'"' + b'a' * (megabytes << 20) + b'"'
data = (body[i:i + 65536] for i in range(0, len(body), 65536)) if chunked else body
headers = {'Authorization': token, 'Content-Type': 'application/json'}
request = urllib.request.Request(address, data=data, headers=headers)
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as failure:
    print(failure.code, failure.headers['x-error-code'], len(failure.read()) > 0)
`;

describeWith('python3', "a refusal reaches Python's urllib", () => {
  const send = async (token: string, megabytes: number, how: 'whole' | 'chunked') => {
    const target = `${address}/v1/demo/targets`;
    const args = ['-c', upload, target, token, String(megabytes), how];
    return (await promisify(execFile)('python3', args)).stdout.trim();
  };

  it.each([
    ['whole', 9],
    ['whole', 40],
    ['chunked', 40],
  ] as const)('413 for a body sent %s, of %i MB', async (how, megabytes) => {
    expect(await send(t.token('sender'), megabytes, how)).toBe('413 too_large True');
  });

  it('401 for a body that nobody reads', async () => {
    expect(await send('Bearer wrong', 7, 'whole')).toBe('401 unauthenticated True');
  });
});
