import type { AddressInfo } from 'node:net';
import dns2 from 'dns2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { providersByDomain } from '../../accounts/provider-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { resolveMailDomains } from './resolve-mail-domains.ts';

const { Packet } = dns2;

/** Mail servers by domain, with their priorities; `null` gives no answer. */
const zone: Record<string, [number, string][] | null> = {
  'company.example': [
    [20, 'backup.example'],
    [10, 'ASPMX.L.Google.com'],
  ],
  'school.example': [[0, 'school-example.mail.protection.outlook.com']],
  'own.example': [[10, 'mx.own.example']],
  'silent.example': null,
};

describe('resolveMailDomains', () => {
  let t: TestApp;
  let server: ReturnType<typeof dns2.createServer>;
  let asked: string[] = [];
  let dnsServers: string[];
  beforeAll(async () => {
    t = await testApp();
    server = dns2.createServer({
      udp: true,
      handle(request, send) {
        const { name } = request.questions[0]!;
        asked.push(name);
        const found = zone[name];
        if (found === null) return;
        const response = Packet.createResponseFromRequest(request);
        if (found === undefined) response.header.rcode = 3;
        for (const [priority, exchange] of found ?? [])
          response.answers.push({
            name,
            type: Packet.TYPE.MX,
            class: Packet.CLASS.IN,
            ttl: 300,
            priority,
            exchange,
          } as never);
        send(response);
      },
    });
    const { udp } = (await server.listen({ udp: { port: 0, address: '127.0.0.1' } } as never)) as unknown as {
      udp: AddressInfo;
    };
    dnsServers = [`127.0.0.1:${udp.port}`];
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
    asked = [];
  });
  afterAll(async () => {
    await server.close();
    await t.close();
  });

  const run = () =>
    resolveMailDomains.run(
      { ...t.app, config: { ...t.app.config, dnsServers } },
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
    expect(asked.sort()).toEqual(['company.example', 'gone.example', 'own.example', 'school.example']);
    asked = [];
    await run();
    expect(asked).toEqual([]);
    t.clock.advance(31 * 86_400_000);
    zone['company.example'] = [[10, 'mx.own.example']];
    await run();
    expect((await providersByDomain(t.app.control)).get('company.example')).toBeUndefined();
  });

  it('asks again for a domain whose DNS server gave no answer', { timeout: 60_000 }, async () => {
    await t.db.run(sql`insert into ${t.db.t.subscriber} (fld1) values ('f@silent.example')`);
    await run();
    expect(new Set(asked)).toEqual(new Set(['silent.example']));
    zone['silent.example'] = [[5, 'mx.google.com']];
    await run();
    expect((await providersByDomain(t.app.control)).get('silent.example')).toBe(await idOf('Gmail'));
  });
});
