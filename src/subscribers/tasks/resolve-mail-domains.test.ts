import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { providersByDomain } from '../../accounts/provider-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { DnsServer } from '../../testing/dns-server.ts';
import { resolveMailDomains } from './resolve-mail-domains.ts';

describe('resolveMailDomains', () => {
  let t: TestApp;
  let server: DnsServer;
  beforeAll(async () => {
    t = await testApp();
    server = await DnsServer.start({
      'company.example': {
        mx: [
          [20, 'backup.example'],
          [10, 'ASPMX.L.Google.com'],
        ],
      },
      'school.example': { mx: [[0, 'school-example.mail.protection.outlook.com']] },
      'own.example': { mx: [[10, 'mx.own.example']] },
      'silent.example': 'silent',
    });
    for (const email of [
      'a@company.example',
      'b@school.example',
      'c@own.example',
      'd@gone.example',
      'e@gmail.com',
    ])
      await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values (${email})`);
  });
  afterEach(() => {
    server.asked = [];
  });
  afterAll(async () => {
    await server.close();
    await t.close();
  });

  const run = () =>
    resolveMailDomains.run(
      { ...t.app, config: { ...t.app.config, dnsServers: server.dnsServers } },
      {},
      new AbortController().signal,
    );
  const idOf = async (name: string) =>
    (await t.app.control.one<{ id: number }>(sql`select id from facteur.provider where name = ${name}`)).id;

  it('gives domains to the provider of their preferred mail server, and requests each once', async () => {
    await run();
    const known = await providersByDomain(t.app.control);
    expect(known.get('company.example')).toBe(await idOf('Gmail'));
    expect(known.get('school.example')).toBe(await idOf('Microsoft'));
    for (const domain of ['own.example', 'gone.example']) expect(known.get(domain)).toBeUndefined();
    // Gmail's own domain is known by name.
    expect(server.asked.sort()).toEqual(['company.example', 'gone.example', 'own.example', 'school.example']);
    server.asked = [];
    await run();
    expect(server.asked).toEqual([]);
    t.clock.advance(31 * 86_400_000);
    server.zone['company.example'] = { mx: [[10, 'mx.own.example']] };
    await run();
    expect((await providersByDomain(t.app.control)).get('company.example')).toBeUndefined();
  });

  it('asks again for a domain whose DNS server gave no answer', async () => {
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values ('f@silent.example')`);
    await run();
    expect(new Set(server.asked)).toEqual(new Set(['silent.example']));
    server.zone['silent.example'] = { mx: [[5, 'mx.google.com']] };
    await run();
    expect((await providersByDomain(t.app.control)).get('silent.example')).toBe(await idOf('Gmail'));
  });
});
