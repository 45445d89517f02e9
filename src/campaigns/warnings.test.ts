import { expect, test } from 'vitest';
import { textOf } from './finding.ts';
import { senderWarnings } from './warnings.ts';

const rsa = ['rsa-sha256'];
const noKey = (domain: string) =>
  `sender domain ${domain} has no DKIM key; add one for it or for a parent domain (createSendingDomain)`;
const notAligned = (path: string, domain: string) =>
  expect.stringContaining(
    `return path domain ${path} does not align with sender domain ${domain} (SPF, DMARC)`,
  );

test.each([
  ['news.shop.example', 'mail.shop.example', rsa, []],
  ['shop.co.uk', 'bounces.shop.co.uk', ['rsa-sha256', 'ed25519-sha256'], []],
  ['shop.co.uk', 'other.co.uk', rsa, [notAligned('other.co.uk', 'shop.co.uk')]],
  ['a.github.io', 'b.github.io', rsa, [notAligned('b.github.io', 'a.github.io')]],
  ['shop.example', 'localhost', rsa, [notAligned('localhost', 'shop.example')]],
  ['shop.example', 'shop.example', [], [noKey('shop.example')]],
  [
    'shop.example',
    'shop.example',
    ['ed25519-sha256'],
    [expect.stringContaining('sender domain shop.example has only an Ed25519 DKIM key')],
  ],
  ['shop.example', 'esp.example', [], [noKey('shop.example'), notAligned('esp.example', 'shop.example')]],
])(
  'mail of %s with return paths at %s and keys %j is warned of %j',
  (senderDomain, returnPathDomain, keys, expected) => {
    const warnings = senderWarnings({ senderDomain, returnPathDomain, dkimAlgorithms: keys });
    expect(warnings.map(textOf)).toEqual(expected);
  },
);

test('a warning has a code, and the domain that it is about', () => {
  const facts = { senderDomain: 'shop.example', returnPathDomain: 'esp.example' };
  const coded = (...dkimAlgorithms: string[]) =>
    senderWarnings({ ...facts, dkimAlgorithms }).map(({ code, about }) => [code, about]);
  const unaligned = ['unaligned_return_path', 'esp.example'];
  expect(coded()).toEqual([['no_dkim_key', 'shop.example'], unaligned]);
  expect(coded('ed25519-sha256')).toEqual([['no_rsa_key', 'shop.example'], unaligned]);
  expect(coded(...rsa)).toEqual([unaligned]);
});
