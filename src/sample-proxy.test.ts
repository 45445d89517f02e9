import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseNetworks } from './platform/network.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { describeWith } from './testing/daemon.ts';
import { freePort } from './testing/free-port.ts';
import { readBesideSources } from './testing/source-tree.ts';
import { until } from './testing/until.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describeWith('nginx', 'the proxy of docs/operations.md', () => {
  let t: TestApp;
  let folder: string;
  let nginx: ChildProcess | undefined;
  let said = '';
  let [http, https] = [0, 0];
  const seen: Record<string, unknown>[] = [];

  beforeAll(async () => {
    const log = pino({ level: 'info' }, { write: (line: string) => seen.push(JSON.parse(line)) });
    t = await testApp({ log, config: { trustedProxies: parseNetworks('127.0.0.1') } });
    await t.server.listen({ host: '127.0.0.1', port: 0 });
    folder = mkdtempSync(join(tmpdir(), 'facteur-proxy-'));
    [http, https] = [await freePort(), await freePort()];
    writeConfiguration();
    nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
    });
    nginx.stderr!.on('data', (chunk) => {
      said += chunk;
    });
    await until(async () => {
      if (nginx?.exitCode !== null) throw new Error(said);
      return ask('/').then(
        () => true,
        () => false,
      );
    }, 'nginx');
  });
  afterAll(async () => {
    if (nginx?.exitCode === null) {
      nginx.kill('SIGQUIT');
      await once(nginx, 'close');
    }
    await t.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The document's own words, with ports and files of this test. */
  function writeConfiguration(): void {
    const [, sample = ''] = /```nginx\n([\s\S]*?)```/.exec(readBesideSources('docs/operations.md')) ?? [];
    const { port } = t.server.server.address() as { port: number };
    const servers = sample
      .replace('listen 80;', `listen 127.0.0.1:${http};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`)
      .replace('http://127.0.0.1:3000', `http://127.0.0.1:${port}`)
      .replace('/etc/ssl/mail.shop.example.pem', join(folder, 'cert.pem'))
      .replace('/etc/ssl/mail.shop.example.key', join(folder, 'key.pem'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${join(folder, 'pid')}; worker_processes 1;
      events {}
      http { access_log off; ${temporary.join(' ')} ${servers} }`,
    );
    mkdirSync(join(folder, 'logs'));
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=mail.shop.example'],
        ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
      ],
      { stdio: 'ignore' },
    );
  }

  async function ask(
    path: string,
    options: { method?: string; body?: string; plain?: boolean; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { method = 'GET', body, plain = false } = options;
    const headers = { host: 'mail.shop.example', authorization: t.token('admin'), ...options.headers };
    const to = { host: '127.0.0.1', port: plain ? http : https, path, method, headers };
    return new Promise((resolve, reject) => {
      const asked = plain
        ? httpRequest(to)
        : httpsRequest({
            ...to,
            servername: 'mail.shop.example',
            ca: readFileSync(join(folder, 'cert.pem')),
          });
      asked.once('error', reject);
      asked.once('response', (response) =>
        text(response).then(
          (read) => resolve({ status: response.statusCode!, headers: response.headers, body: read }),
          reject,
        ),
      );
      asked.end(body);
    });
  }

  it.each([
    '/metrics',
    '/admin',
    '/admin/v1/sites',
    '/docs',
    '/docs/',
    '/%61dmin/v1/sites',
    '//admin/v1/sites',
    '/v1/../metrics',
  ])('answers %s by 404 itself', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers.server, body]).toEqual([
      404,
      expect.stringContaining('nginx'),
      expect.not.stringContaining('typeName'),
    ]);
    expect(headers['x-request-id']).toBeUndefined();
  });

  it('sends from http to https, with the method and the whole address', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await ask('/u/token?a=%20', { plain: true, method });
      expect([status, headers.location]).toEqual([308, 'https://mail.shop.example/u/token?a=%20']);
    }
  });

  it('makes browsers keep to https, whatever the response is', async () => {
    for (const path of ['/v1/demo/fields?type=Unspecified', '/v1/nosuch/fields', '/metrics'])
      expect((await ask(path)).headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('lets the API through: long addresses, large bodies, compressed and unchanged answers', async () => {
    const path = '/v1/demo/fields?type=Unspecified';
    const { status, headers } = await ask(path, { headers: { 'accept-encoding': 'br' } });
    expect([status, headers['content-encoding']]).toEqual([200, 'br']);
    expect((await ask(path, { headers: { 'if-none-match': headers.etag! } })).status).toBe(304);
    const long = Array.from({ length: 4_000 }, (_, n) => `filter.values=reader-${n}@x.example`).join('&');
    const found = await ask(
      `/v1/demo/subscribers?filter.by=Email&filter.emailEncoding=None&filter.idFields=1&${long}`,
    );
    expect([found.status, found.body.slice(0, 80)]).toEqual([200, expect.stringContaining('"success":true')]);
    const body = JSON.stringify({ name: 'x'.repeat(9_000_000) });
    const json = { 'content-type': 'application/json' };
    const tooLarge = await ask('/v1/demo/targets', { method: 'POST', body, headers: json });
    expect([tooLarge.status, tooLarge.headers['x-error-code']]).toEqual([413, 'too_large']);
  });

  it("gives Facteur the client's own address", async () => {
    const { port } = t.server.server.address() as { port: number };
    // What is before nginx's own word is the client's, and is not believed.
    const headers = { authorization: t.token('admin'), 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
    await fetch(`http://127.0.0.1:${port}/admin/v1/sites`, { headers });
    expect(seen.at(-1)).toMatchObject({ audit: 'listSites', address: '203.0.113.9' });
  });
});
