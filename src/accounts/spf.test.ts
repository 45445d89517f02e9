import { describe, expect, it } from 'vitest';
import { isSpf, readSpf, type SpfDns } from './spf.ts';

interface Host {
  readonly txt?: readonly string[];
  readonly a?: readonly string[];
  readonly mx?: readonly string[];
}

function dnsOf(zone: Readonly<Record<string, Host | 'silent'>>): SpfDns & { readonly asked: string[] } {
  const asked: string[] = [];
  const of = async (name: string, kind: keyof Host) => {
    asked.push(name);
    const host = zone[name];
    return host === 'silent' ? undefined : (host?.[kind] ?? []);
  };
  return {
    asked,
    texts: (name) => of(name, 'txt'),
    addresses: (name) => of(name, 'a'),
    exchanges: (name) => of(name, 'mx'),
  };
}

const zone = {
  'mail.shop.example': { a: ['192.0.2.9', '2001:db8::9'], mx: ['mx.shop.example'] },
  'mx.shop.example': { a: ['192.0.2.25'] },
  'relay.example': { txt: ['hello', 'v=spf1 ip4:198.51.100.0/24 include:deep.example ~all'] },
  'deep.example': { txt: ['v=spf1 ip6:2001:db8:5::/48 -all'] },
  'wrap.example': { txt: ['v=spf1 ip4:203.0.113.1 ?include:relay.example -all'] },
  'none.example': { txt: ['v=spf1 -ip4:192.0.2.1 ~all'] },
  'by-message.example': { txt: ['v=spf1 exists:%{i}.list.example -all'] },
  'many.example': { txt: ['v=spf1 -all', 'v=spf1 +all'] },
  'bare.example': { txt: ['no spf'] },
  'silent.example': 'silent',
  'loop.example': { txt: ['v=spf1 include:loop.example -all'] },
  'wide.example': { mx: Array.from({ length: 11 }, (_, i) => `mx${i}.example`) },
} as const;

const judged = async (text: string, ip: string) => {
  const policy = await readSpf('mail.shop.example', text, dnsOf(zone));
  return 'problem' in policy ? policy.problem : policy.judge(ip);
};

describe('readSpf', () => {
  it.each([
    ['v=spf1 -all', '192.0.2.1', 'fail'],
    ['v=spf1', '192.0.2.1', 'fail'],
    ['v=spf1 +all', '192.0.2.1', 'pass'],
    ['V=SPF1 ALL', '2001:db8::1', 'pass'],
    ['v=spf1 ip4:192.0.2.0/24 -all', '192.0.2.200', 'pass'],
    ['v=spf1 -ip4:192.0.2.200 ip4:192.0.2.0/24 -all', '192.0.2.200', 'fail'],
    ['v=spf1 ip6:2001:db8::/32 -all', '2001:db8::1', 'pass'],
    ['v=spf1 a -all', '192.0.2.9', 'pass'],
    ['v=spf1 a -all', '2001:db8::9', 'pass'],
    ['v=spf1 a/24//64 -all', '192.0.2.77', 'pass'],
    ['v=spf1 a//64 -all', '2001:db8::77', 'pass'],
    ['v=spf1 mx -all', '192.0.2.25', 'pass'],
    ['v=spf1 a:mx.shop.example/30 -all', '192.0.2.26', 'pass'],
    ['v=spf1 include:relay.example -all', '198.51.100.4', 'pass'],
    ['v=spf1 include:relay.example -all', '2001:db8:5::1', 'pass'],
    ['v=spf1 include:relay.example -all', '192.0.2.1', 'fail'],
    ['v=spf1 -include:relay.example +all', '198.51.100.4', 'fail'],
    ['v=spf1 redirect=relay.example', '198.51.100.4', 'pass'],
    ['v=spf1 -all redirect=relay.example', '198.51.100.4', 'fail'],
    ['v=spf1 exists:%{i}.list.example -all', '192.0.2.1', 'unknown'],
    ['v=spf1 include:%{d}.example -all', '192.0.2.1', 'unknown'],
    ['v=spf1 ip4:192.0.2.1 ptr -all', '192.0.2.1', 'pass'],
    ['v=spf1 ptr -all', '192.0.2.1', 'unknown'],
    ['v=spf1 exp=why.example unheard=of -all', '192.0.2.1', 'fail'],
  ])('%s: %s is %s', async (text, ip, verdict) => {
    expect(await judged(text, ip)).toBe(verdict);
  });

  it.each([
    ['v=spf1 ip4:192.0.2.0/33 -all', 'mail.shop.example'],
    ['v=spf1 ip4:2001:db8::1 -all', 'mail.shop.example'],
    ['v=spf1 ip4:192.0.2.1,192.0.2.2 -all', 'mail.shop.example'],
    ['v=spf1 ip4 -all', 'mail.shop.example'],
    ['v=spf1 include -all', 'mail.shop.example'],
    ['v=spf1 a: -all', 'mail.shop.example'],
    ['v=spf1 a/64 -all', 'mail.shop.example'],
    ['v=spf1 everybody -all', 'mail.shop.example'],
    ['v=spf1 "quoted" -all', 'mail.shop.example'],
    ['v=spf1 include:many.example -all', 'many.example'],
    ['v=spf1 include:bare.example -all', 'bare.example'],
    ['v=spf1 include:nowhere.example -all', 'nowhere.example'],
    [`v=spf1 ${'ip4:192.0.2.1 '.repeat(600)}-all`, 'mail.shop.example'],
  ])('%s is malformed at %s', async (text, at) => {
    expect(await judged(text, '192.0.2.1')).toEqual({ reason: 'malformed', at });
  });

  it('reports a name that DNS does not respond for', async () => {
    expect(await judged('v=spf1 include:silent.example -all', '192.0.2.1')).toEqual({
      reason: 'noAnswer',
      at: 'silent.example',
    });
  });

  it('ends at ten look-ups: for records that include themselves, for many includes and many mail servers', async () => {
    const dns = dnsOf(zone);
    expect(await readSpf('x.example', 'v=spf1 include:loop.example -all', dns)).toEqual({
      problem: { reason: 'tooManyLookups', at: 'loop.example' },
    });
    expect(dns.asked.length).toBe(10);
    expect(await judged(`v=spf1 ${'a '.repeat(11)}-all`, '192.0.2.1')).toMatchObject({
      reason: 'tooManyLookups',
    });
    expect(await judged(`v=spf1 ${'a '.repeat(10)}-all`, '192.0.2.1')).toBe('fail');
    expect(await judged('v=spf1 mx:wide.example -all', '192.0.2.1')).toMatchObject({
      reason: 'tooManyLookups',
    });
  });

  it('lists what a record includes, through others too', async () => {
    const policy = await readSpf('x.example', 'v=spf1 include:RELAY.example. -all', dnsOf(zone));
    expect(policy).toMatchObject({ includes: ['relay.example', 'deep.example'] });
  });

  it.each([
    ['v=spf1 -include:relay.example -all', []],
    ['v=spf1 ~include:relay.example -all', []],
    ['v=spf1 ?include:relay.example -all', []],
    ['v=spf1 +include:relay.example -all', ['relay.example', 'deep.example']],
    ['v=spf1 include:wrap.example -all', ['wrap.example']],
    ['v=spf1 redirect=relay.example', ['relay.example', 'deep.example']],
    ['v=spf1 -include:deep.example include:relay.example -all', ['relay.example']],
    ['v=spf1 -ip4:198.51.100.0/24 include:relay.example -all', ['relay.example', 'deep.example']],
    ['v=spf1 -ip6:2001:db8::/32 include:relay.example -all', ['relay.example']],
    ['v=spf1 -ip4:0.0.0.0/0 ?ip6:::/0 include:relay.example -all', []],
    ['v=spf1 include:none.example -all', []],
    ['v=spf1 include:by-message.example -all', ['by-message.example']],
    ['v=spf1 -exists:%{i}.list.example include:relay.example -all', ['relay.example', 'deep.example']],
  ])('%s lets pass what %j list', async (text, includes) => {
    expect(await readSpf('x.example', text, dnsOf(zone))).toMatchObject({ includes });
  });

  it('knows an SPF record from another text', () => {
    expect(['v=spf1', 'V=SPF1 -all', 'v=spf10 -all', 'v=spf2.0/pra', 'x v=spf1'].map(isSpf)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
