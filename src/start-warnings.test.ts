import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRoute } from './accounts/route-store.ts';
import { readable } from './announce.ts';
import { startWarnings } from './start-warnings.ts';
import { type TestApp, testApp } from './testing/app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const warned = (publicUrl: string, smtpUrl?: string) =>
  startWarnings({ ...t.app, publicUrl, config: { ...t.app.config, smtpUrl } });

it('warns of an address that readers cannot reach, and of plain http, once mail leaves', async () => {
  for (const publicUrl of ['http://localhost:3000', 'http://mail.shop.example', 'https://mail.shop.example'])
    expect(await warned(publicUrl)).toEqual([]);
  const relay = 'smtp://relay.example.com';
  expect(await warned('https://mail.shop.example', relay)).toEqual([]);
  expect(await warned('http://localhost:3000', 'smtp://127.0.0.1:1025')).toEqual([]);
  expect(await warned('http://localhost:3000', relay)).toEqual([
    expect.stringMatching(/^FACTEUR_PUBLIC_URL is not set to an address that readers can reach/),
  ]);
  expect(await warned('http://mail.shop.example', relay)).toEqual([
    expect.stringMatching(/^FACTEUR_PUBLIC_URL is plain http/),
  ]);
  await createRoute(t.app.control, t.app.secrets, t.db.site.id, {
    host: 'relay.example.com',
    port: 25,
    tls: 'none',
  });
  expect(await warned('http://localhost:3000')).toHaveLength(1);
});

it('shows them to people as well', () => {
  const started = {
    event: 'started',
    version: '1',
    node: '24.0.0',
    postgres: '18.4',
    pid: 1,
    roles: ['worker'],
    dataDir: '/data',
    port: null,
    sftpPort: null,
    smtpPort: null,
    publicUrl: '',
    url: null,
    docsUrl: null,
  } as const;
  expect(readable(started)).not.toContain('Warning');
  expect(readable({ ...started, warnings: ['Mend it.'] })).toContain('Warning: Mend it.');
});
