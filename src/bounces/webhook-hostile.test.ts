import { request as requestHttp } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serving } from '../testing/listening.ts';
import { type Signed, WebhookTester, webhookPassword, withPassword } from '../testing/webhooks.ts';
import { webhookHandler } from './webhook-handler.ts';

let w: WebhookTester;
beforeAll(async () => {
  w = await WebhookTester.start();
});
beforeEach(() => w.reset());
afterAll(() => w.close());

describe('the address of a webhook', () => {
  it('404 if we did not sign it, or its route was deleted; 405 for anything but POST', async () => {
    const path = await w.webhookOf('brevo');
    const request = withPassword(webhookPassword, []);
    for (const other of [
      '/webhooks/',
      '/webhooks/1',
      `${path}x`,
      `${path}?a=b`,
      path.replace(/s\/\d+/, 's/9999'),
    ])
      expect([other, (await w.post(other, request)).status]).toEqual([other, 404]);
    const response = await fetch(`${w.url}${path}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    const idRoute = /\d+/.exec(path)![0];
    await w.t.call('DELETE', `/admin/v1/sites/demo/routes/${idRoute}`);
    expect((await w.post(path, request)).status).toBe(404);
  });

  it('lets other addresses through', async () => {
    expect((await fetch(`${w.url}/webhook`)).status).toBe(418);
  });
});

describe('a hostile body', () => {
  const typed = (body: string, more: Record<string, string> = {}): Signed => {
    const { headers } = withPassword(webhookPassword, []);
    return { headers: { ...headers, ...more }, body };
  };

  it('400 for what is no JSON, nests too deep or has too many properties; 415 for other types', async () => {
    const path = await w.webhookOf('mailjet');
    const wide = `{${Array.from({ length: 2_000 }, (_, i) => `"a${i}":1`).join(',')}}`;
    for (const body of ['', '{', 'event=bounce', '['.repeat(100_000), wide])
      expect([body.slice(0, 9), (await w.post(path, typed(body))).status]).toEqual([body.slice(0, 9), 400]);
    for (const more of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-encoding': 'gzip' },
    ])
      expect((await w.post(path, typed('[]', more as never))).status).toBe(415);
  });

  it('413 for more bytes or reports than a request may have', async () => {
    const path = await w.webhookOf('mailjet');
    expect((await w.post(path, typed(`[${' '.repeat(2 * 1024 * 1024)}]`))).status).toBe(413);
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ event: 'spam' })));
    expect((await w.post(path, typed(many(5_001)))).status).toBe(413);
    expect((await w.post(path, typed(many(5_000)))).status).toBe(200);
  });

  it('that comes slowly, twenty times, delays no other request', async () => {
    const path = await w.webhookOf('mailjet');
    const { headers } = withPassword(webhookPassword, []);
    const slow = Array.from({ length: 20 }, () => {
      const options = { method: 'POST', headers: { ...headers, 'content-length': '100' } };
      const request = requestHttp(`${w.url}${path}`, options).on('error', () => undefined);
      return new Promise<typeof request>((sent) => request.write('[', () => sent(request)));
    });
    const requests = await Promise.all(slow);
    expect((await w.post(path, typed('[]'))).status).toBe(200);
    for (const request of requests) request.destroy();
  });

  it('whose client disconnects occupies no place', async () => {
    const path = await w.webhookOf('mailjet');
    const { headers } = withPassword(webhookPassword, []);
    const broken = Array.from({ length: 12 }, () => {
      const request = requestHttp(`${w.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-length': '100' },
      });
      request.on('error', () => undefined).write('[');
      return request;
    });
    for (const request of broken) request.destroy();
    expect((await w.post(path, typed('[]'))).status).toBe(200);
  });
});

it('429 to an address that has proved nothing 30 times in a minute', async () => {
  const own = await serving(webhookHandler(w.t.app));
  const path = await w.webhookOf('brevo');
  const statuses = [];
  for (let i = 0; i < 32; i++)
    statuses.push((await w.post(path, withPassword('guess-1234567890', []), own.url)).status);
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
  expect(statuses.at(-1)).toBe(429);
  expect((await w.post(path, withPassword(webhookPassword, []), own.url)).headers.get('retry-after')).toMatch(
    /^\d+$/,
  );
  await own.close();
});

it('401 asks a client for its password as often as it sends none', async () => {
  const path = await w.webhookOf('postmark');
  const without = { headers: { 'content-type': 'application/json' }, body: '[]' };
  for (let i = 0; i < 40; i++) {
    const { status, headers } = await w.post(path, without);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="webhook"']);
  }
  expect((await w.post(path, withPassword(webhookPassword, []))).status).toBe(200);
});
