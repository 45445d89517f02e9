import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { readCommand } from './command-line.ts';
import { runOn } from './run-command.ts';
import { adminOperationIds } from './run-operation.ts';
import { inputOf } from './stdin.ts';
import { UsageError } from './usage.ts';

describe('operations of administration on the command line', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  async function run(line: string, body = ''): Promise<unknown> {
    const printed: string[] = [];
    await runOn(t.app, readCommand(line.split(' ')), {
      print: (text) => printed.push(text),
      note: () => undefined,
      stdin: inputOf(Readable.from([Buffer.from(body)])),
    });
    expect(printed).toHaveLength(1);
    return JSON.parse(printed[0]!);
  }

  it('do what they do over HTTP: routes, sending domains, providers', async () => {
    const route = {
      host: 'relay.example.org',
      port: 587,
      tls: 'starttls',
      username: 'u',
      password: 'secret',
    };
    const made = await run('admin createRoute idsite=demo --body-stdin', JSON.stringify(route));
    expect(made).toMatchObject({ host: 'relay.example.org', hasPassword: true });
    expect(await run('admin listRoutes idsite=demo')).toEqual([made]);
    const { id } = made as { id: number };
    expect(await run(`admin deleteRoute idsite=demo idRoute=${id}`)).toBe(true);

    const domain = { domain: 'news.example', algorithm: 'ed25519-sha256' };
    expect(
      await run('admin createSendingDomain idsite=demo --body-stdin', JSON.stringify(domain)),
    ).toMatchObject({
      dnsName: 'facteur-ed25519._domainkey.news.example',
    });

    const limits = { name: 'Gmail', domains: ['gmail.com'], maxConnections: 5 };
    expect(await run('admin updateProvider idProvider=1 --body-stdin', JSON.stringify(limits))).toMatchObject(
      limits,
    );
    const reply = await t.call('GET', '/admin/v1/providers');
    expect(await run('admin listProviders')).toEqual(reply.data);
  });

  it('disable a user and enable them again, themselves included', async () => {
    expect(await run('admin updateUser idUser=1 --body-stdin', '{"isDisabled":true}')).toMatchObject({
      name: 'Ada',
      isDisabled: true,
    });
    expect((await t.call('GET', '/admin/v1/providers')).status).toBe(401);
    await run('admin updateUser idUser=1 --body-stdin', '{"isDisabled":false}');
    expect((await t.call('GET', '/admin/v1/providers')).status).toBe(200);
  });

  it('are all there', () => {
    const ids = adminOperationIds();
    expect(ids.length).toBeGreaterThan(30);
    expect(ids).toContain('listMailbox');
    expect(ids).not.toContain('getCampaign');
  });

  it.each([
    ['admin getCampaign', '', /'getCampaign' is not an administration operation; known are .*listSites, /],
    ['admin deleteRoute idsite=demo', '', /Missing: idRoute/],
    ['admin deleteRoute idsite=demo idRoute=x', '', /idRoute/],
    ['admin deleteRoute idsite=demo idRoute=99', '', /Route not found/],
    ['admin deleteRoute idsite=../v1 idRoute=1', '', /idsite|not found/],
    // An address would fold them away, and the router would look for another operation.
    ['admin listRoutes idsite=..', '', /^idsite: contains characters that a URL path cannot hold$/],
    [
      `admin listRoutes idsite=${'s'.repeat(201)}`,
      '',
      /^idsite: contains characters that a URL path cannot hold$/,
    ],
    ['admin listRoutes idsite=demo more=1', '', /more/],
    ['admin listSites __proto__=1', '', /^__proto__: unknown member$/],
    ['admin createProvider --body-stdin', '{"name": ', /JSON/],
    ['admin createProvider', '', /body/i],
    ['admin createProvider --body-stdin', ' '.repeat(9 * 1024 ** 2), /larger than the 1 MB/],
  ])('%s is refused with what is wrong', async (line, body, text) => {
    await expect(run(line, body)).rejects.toThrow(text);
  });

  it.each(['admin', 'admin listSites x', 'admin listSites x=1 x=2'])('%s is no command', (line) => {
    expect(() => readCommand(line.split(' '))).toThrow(UsageError);
  });
});
