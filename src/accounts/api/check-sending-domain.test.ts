import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { DnsServer } from '../../testing/dns-server.ts';
import type { DomainCheck } from '../domain-check.ts';
import { checksWaiting } from './check-sending-domain.ts';

const host = 'mail.shop.example';

describe('checkSendingDomain', () => {
  let t: TestApp;
  let dns: DnsServer;
  let id: number;
  let keys: { readonly dnsName: string; readonly dnsText: string }[];
  beforeAll(async () => {
    dns = await DnsServer.start();
    t = await testApp({ config: { dnsServers: dns.dnsServers }, publicUrl: `https://${host}` });
    for (const algorithm of ['rsa-sha256', 'ed25519-sha256']) {
      const body = { domain: 'shop.example', algorithm };
      const { data } = await t.call('POST', '/admin/v1/sites/demo/sending-domains', { body });
      id = (data as { id: number }).id;
    }
    keys = (await t.call('GET', '/admin/v1/sites/demo/sending-domains')).data;
  });
  afterEach(async () => {
    for (const name of Object.keys(dns.zone)) delete dns.zone[name];
    await t.app.control.pool.query('delete from facteur.route');
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  const path = (of = id, site = 'demo') => `/admin/v1/sites/${site}/sending-domains/${of}/dns`;
  const check = async (include?: string) => {
    const reply = await t.call('GET', path(), { query: include === undefined ? {} : { include } });
    expect([reply.status, reply.error, reply.typeName]).toEqual([200, null, 'SendingDomainCheck']);
    return reply.data as DomainCheck;
  };
  const spf = async (include?: string) => (await check(include)).records.find(({ kind }) => kind === 'SPF')!;
  const addRelay = (name: string) =>
    t.call('POST', '/admin/v1/sites/demo/routes', { body: { host: name, port: 587, tls: 'starttls' } });
  const states = ({ records }: DomainCheck) =>
    records.map(({ kind, state, reason }) => [kind, state, reason]);

  it('200 says that all is right, for the keys as they are published', async () => {
    await addRelay('smtp.relay.example');
    for (const { dnsName, dnsText } of keys) dns.zone[dnsName] = { txt: [dnsText] };
    dns.zone[host] = { txt: ['v=spf1 include:spf.relay.example -all'], mx: [[10, host]] };
    dns.zone['spf.relay.example'] = { txt: ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8:5::/48 -all'] };
    dns.zone['smtp.relay.example'] = { a: ['192.0.2.7'], aaaa: ['2001:db8:5::7'] };
    dns.zone['_dmarc.shop.example'] = { txt: ['v=DMARC1; p=none'] };
    const found = await check();
    expect(found.domain).toBe('shop.example');
    expect(states(found)).toEqual([
      ['DKIM', 'right', 'published'],
      ['DKIM', 'right', 'published'],
      ['SPF', 'right', 'published'],
      ['MX', 'right', 'published'],
      ['DMARC', 'right', 'published'],
    ]);
    expect(found.records.map(({ name }) => name)).toEqual([
      ...keys.map(({ dnsName }) => dnsName),
      ...[host, host, '_dmarc.shop.example'],
    ]);
    expect(found.records[0]).toMatchObject({
      type: 'TXT',
      value: keys[0]!.dnsText,
      found: [keys[0]!.dnsText],
    });
    expect(found.records[3]).toMatchObject({ type: 'MX', value: `10 ${host}.`, found: [`10 ${host}.`] });
  });

  it('200 says what to publish where there is nothing', async () => {
    await addRelay('smtp.relay.example');
    await addRelay('192.0.2.44');
    const found = await check();
    expect(states(found).map(([, state]) => state)).toEqual(Array(5).fill('missing'));
    const { value, advice } = found.records[2]!;
    expect([value, advice]).toEqual([
      'v=spf1 a:smtp.relay.example ip4:192.0.2.44 -all',
      'Publish the record',
    ]);
    expect((await spf('spf.relay.example')).value).toBe('v=spf1 include:spf.relay.example -all');
  });

  it('200 is not sure where the record does not name the relay, and is by the name of its SPF record', async () => {
    await addRelay('smtp.relay.example');
    dns.zone['smtp.relay.example'] = { a: ['192.0.2.7'] };
    dns.zone[host] = { txt: ['v=spf1 include:spf.relay.example -all'] };
    dns.zone['spf.relay.example'] = { txt: ['v=spf1 ip4:198.51.100.0/24 -all'] };
    expect(await spf()).toMatchObject({
      state: 'unknown',
      reason: 'notNamed',
      names: ['smtp.relay.example'],
    });
    expect(await spf('SPF.relay.example.')).toMatchObject({ state: 'right' });
    expect(await spf('spf.other.example')).toMatchObject({
      state: 'different',
      advice: 'Add include:spf.other.example to the record, before terms that reject its addresses',
    });
  });

  it.each(['-include', '~include', '?include', '-ip4:198.51.100.0/24 include'])(
    '200 is not right where the record rejects the relay: %s',
    async (term) => {
      dns.zone[host] = { txt: [`v=spf1 ${term}:spf.relay.example -all`] };
      dns.zone['spf.relay.example'] = { txt: ['v=spf1 ip4:198.51.100.0/24 -all'] };
      expect(await spf('spf.relay.example')).toMatchObject({ state: 'different', reason: 'notIncluded' });
    },
  );

  it('200 names several, unreadable, too long and too wide SPF records', async () => {
    const of = async (...txt: string[]) => {
      dns.zone[host] = { txt };
      const { state, reason } = await spf();
      return `${state}: ${reason}`;
    };
    dns.zone['loop.example'] = { txt: ['v=spf1 include:loop.example -all'] };
    expect(await of('v=spf1 -all', 'v=spf1 ~all')).toBe('several: several');
    expect(await of('v=spf1 ipv4:192.0.2.1 -all')).toBe('different: malformed');
    expect(await of('v=spf1 include:loop.example -all')).toBe('different: tooManyLookups');
    expect(await of('v=spf1 +all')).toBe('different: allowsAll');
    // The site has no relay.
    expect(await of('v=spf1 -all')).toBe('unknown: noRelay');
    expect((await spf()).value).toBeNull();
  });

  it('200 for a subdomain whose organization has the policy', async () => {
    const body = { domain: 'news.shop.example', algorithm: 'ed25519-sha256' };
    const made = await t.call('POST', '/admin/v1/sites/demo/sending-domains', { body });
    dns.zone['_dmarc.shop.example'] = { txt: ['v=DMARC1; p=reject'] };
    const { data } = await t.call('GET', path((made.data as { id: number }).id));
    expect((data as DomainCheck).records.at(-1)).toMatchObject({
      state: 'right',
      reason: 'ofParent',
      names: ['shop.example'],
    });
  });

  it('200 with hostile answers: a hundred texts, over TCP', async () => {
    const txt = Array.from({ length: 100 }, (_, i) => `v=spf1 ${i} ${'x'.repeat(60)}\u0007`);
    dns.zone[host] = { txt };
    const found = await spf();
    expect([found.state, found.found.length, found.found[0]!.includes('\u0007')]).toEqual([
      'several',
      10,
      false,
    ]);
  });

  it('200 within its time when DNS does not respond, or fails', { timeout: 30_000 }, async () => {
    await addRelay('smtp.relay.example');
    dns.zone[keys[0]!.dnsName] = 'silent';
    dns.zone[host] = 'silent';
    dns.zone['smtp.relay.example'] = 'silent';
    dns.zone['_dmarc.shop.example'] = 'failing';
    const before = performance.now();
    expect(states(await check())).toEqual([
      ['DKIM', 'unreachable', 'noAnswer'],
      ['DKIM', 'missing', 'notFound'],
      ['SPF', 'unreachable', 'noAnswer'],
      ['MX', 'unreachable', 'noAnswer'],
      ['DMARC', 'unreachable', 'noAnswer'],
    ]);
    // The limit is six seconds; a busy machine adds its own.
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it('200 for a public address that is no domain', async () => {
    const local = await testApp({
      config: { dnsServers: dns.dnsServers },
      publicUrl: 'http://127.0.0.1:3000',
    });
    const body = { domain: 'shop.example', algorithm: 'ed25519-sha256' };
    const made = await local.call('POST', '/admin/v1/sites/demo/sending-domains', { body });
    const { data } = await local.call('GET', path((made.data as { id: number }).id));
    expect(states(data)).toEqual([
      ['DKIM', 'missing', 'notFound'],
      ['SPF', 'missing', 'noPublicName'],
      ['MX', 'missing', 'noPublicName'],
      ['DMARC', 'missing', 'notFound'],
    ]);
    await local.close();
  });

  it('429 when more wait than a site has turns, while the others are answered', async () => {
    let release = () => {};
    dns.held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const calls = Array.from({ length: checksWaiting + 5 }, () => t.call('GET', path()));
    expect((await Promise.race(calls)).status).toBe(429);
    release();
    dns.held = undefined;
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(checksWaiting + 4);
  });

  it('400 for an include that is no name', async () => {
    expect(await t.call('GET', path(), { query: { include: 'not a name' } })).toMatchObject({
      status: 400,
      error: 'include: must be the name of an SPF record, for example spf.example.com',
    });
  });

  it('404 for an unknown one and that of another site; 401 without a token, 403 for a sender', async () => {
    expect((await t.call('GET', path(9999))).error).toBe('Sending domain not found');
    expect((await t.call('GET', path(id, 'other'))).status).toBe(404);
    expect((await t.call('GET', path(), { as: null })).status).toBe(401);
    expect((await t.call('GET', path(), { as: 'sender' })).status).toBe(403);
  });
});
