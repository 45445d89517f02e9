import { describe, expect, it } from 'vitest';
import { checkDkim, checkDmarc, checkMx } from './domain-check.ts';

const key = {
  id: 1,
  domain: 'shop.example',
  dkimSelector: 'facteur',
  dkimAlgorithm: 'rsa-sha256',
  dnsName: 'facteur._domainkey.shop.example',
  dnsText: 'v=DKIM1; k=rsa; p=AAAABBBB',
} as const;

describe('checkDkim', () => {
  it.each([
    [['v=DKIM1; k=rsa; p=AAAABBBB'], 'right', 'published'],
    [['k=rsa;p=AAAA BBBB;'], 'right', 'published'],
    [['v=DKIM1; p=AAAABBBB; t=y; h=sha1:sha256; s=email'], 'right', 'published'],
    [[], 'missing', 'notFound'],
    [['v=DKIM1; p=AAAABBBB', 'v=DKIM1; p=CCCC'], 'several', 'several'],
    [['v=DKIM1; k=rsa; p=CCCC'], 'different', 'otherKey'],
    [['v=DKIM1; k=ed25519; p=AAAABBBB'], 'different', 'otherKey'],
    [['v=DKIM1; k=rsa; p='], 'different', 'revoked'],
    [['v=DKIM1; k=rsa'], 'different', 'malformed'],
    [['v=DKIM2; p=AAAABBBB'], 'different', 'malformed'],
    [['v=DKIM1; p=AAAABBBB; h=sha1'], 'different', 'limited'],
    [['v=DKIM1; p=AAAABBBB; s=tlsrpt'], 'different', 'limited'],
    [undefined, 'unreachable', 'noAnswer'],
  ] as const)('%j is %s: %s', (texts, state, reason) => {
    expect(checkDkim(key, texts)).toMatchObject({ state, reason, found: texts ?? [], value: key.dnsText });
  });

  it('bounds what it shows', () => {
    const { found } = checkDkim(
      key,
      Array.from({ length: 3_000 }, () => `p=\u0000\n${'x'.repeat(60_000)}`),
    );
    expect([found.length, found[0]!.length, found[0]!.slice(0, 5)]).toEqual([10, 1000, 'p=  x']);
  });
});

describe('checkDmarc', () => {
  it.each([
    [['v=DMARC1; p=none'], 'right', 'published'],
    [['other', 'v=DMARC1;p=REJECT; rua=mailto:a@b.example'], 'right', 'published'],
    [[], 'missing', 'notFound'],
    [['v=spf1 -all'], 'missing', 'notFound'],
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'several', 'several'],
    [['v=DMARC1'], 'different', 'malformed'],
    [['v=DMARC1; p=some'], 'different', 'malformed'],
    [undefined, 'unreachable', 'noAnswer'],
  ] as const)('%j is %s: %s', (own, state, reason) => {
    expect(checkDmarc('shop.example', { own })).toMatchObject({ state, reason, name: '_dmarc.shop.example' });
  });

  it.each([
    [['v=DMARC1; p=none'], 'right', 'Nothing to do: the policy of shop.example applies'],
    [['v=DMARC1'], 'different', 'Correct the record of _dmarc.shop.example: receivers cannot read it'],
    [[], 'missing', 'Publish the record'],
    [undefined, 'unreachable', 'Check again later: DNS does not respond'],
  ] as const)(
    'the organization’s policy counts where the domain has none: %j is %s',
    (texts, state, advice) => {
      const parent = { domain: 'shop.example', texts };
      expect(checkDmarc('mail.shop.example', { own: [], parent })).toMatchObject({ state, advice });
      // Its own comes first.
      expect(checkDmarc('mail.shop.example', { own: ['v=DMARC1; p=none'], parent }).reason).toBe('published');
    },
  );
});

describe('checkMx', () => {
  const mx = (...servers: (readonly [number, string])[]) =>
    servers.map(([priority, exchange]) => ({ priority, exchange }));
  it.each([
    [mx([10, 'Mail.shop.example.']), true, 'right', 'published', []],
    [mx([20, 'backup.example'], [10, 'mail.shop.example']), true, 'right', 'published', []],
    [mx([20, 'mail.shop.example'], [10, 'mx.example']), true, 'unknown', 'elsewhere', ['mx.example']],
    [mx([0, '']), true, 'different', 'refusesMail', []],
    [[], true, 'missing', 'implied', ['mail.shop.example']],
    [[], false, 'missing', 'notFound', []],
    [[], undefined, 'unreachable', 'noAnswer', []],
    [undefined, true, 'unreachable', 'noAnswer', []],
  ] as const)('%j, address %s: %s, %s', (exchanges, hasAddress, state, reason, names) => {
    expect(checkMx('mail.shop.example', exchanges, hasAddress)).toMatchObject({ state, reason, names });
  });

  it('shows the servers by priority', () => {
    const servers = mx([20, 'backup.example'], [10, 'mail.shop.example']);
    expect(checkMx('mail.shop.example', servers, true).found).toEqual([
      '10 mail.shop.example.',
      '20 backup.example.',
    ]);
  });
});
