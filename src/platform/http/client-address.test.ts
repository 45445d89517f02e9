import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseNetworks } from '../network.ts';
import { clientAddressBehind } from './client-address.ts';

const proxies = '10.0.0.0/8, 192.0.2.1, fd00::/8';

function client(peer: string | undefined, forwardedFor?: string, trusted = proxies): string | null {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return clientAddressBehind(parseNetworks(trusted))(request);
}

describe('clientAddressBehind', () => {
  it.each([
    ['nothing is forwarded', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy names its client', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['the client forged an address before', '10.0.0.1', '198.51.100.9, 203.0.113.5', '203.0.113.5'],
    ['the client forged a proxy before', '10.0.0.1', '198.51.100.9, 10.0.0.3, 203.0.113.5', '203.0.113.5'],
    ['the client wrote nonsense before', '10.0.0.1', 'x"\u0000,,;, 203.0.113.5', '203.0.113.5'],
    ['two proxies stand behind each other', '10.0.0.1', '203.0.113.5,10.0.0.2', '203.0.113.5'],
    ['three, with spaces and tabs', '192.0.2.1', ' 203.0.113.5 ,\t10.0.0.2 , fd00::7 ', '203.0.113.5'],
    ['all are trusted: the first', '10.0.0.1', '10.9.9.9, 10.0.0.2', '10.9.9.9'],
    ['the peer is no proxy', '203.0.113.7', '198.51.100.9', '203.0.113.7'],
    ['the peer is beside the proxy', '192.0.2.2', '198.51.100.9', '192.0.2.2'],
    ['an IPv6 client', '10.0.0.1', '2001:DB8:0:0::00F1', '2001:db8::f1'],
    ['an IPv6 proxy', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['an IPv6 peer that is no proxy', '2001:db8::9', '2001:db8::5', '2001:db8::9'],
    ['an IPv6 peer with its zone', 'fe80::1%eth0', '2001:db8::5', 'fe80::1'],
    ['a proxy in IPv6 clothes', '::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['a client in IPv6 clothes', '::ffff:10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['a proxy in IPv6 clothes, in the chain', '10.0.0.1', '203.0.113.5, ::ffff:a00:2', '203.0.113.5'],
    ['a stranger in IPv6 clothes', '::ffff:203.0.113.7', '198.51.100.9', '203.0.113.7'],
  ])('%s', (_what, peer, forwardedFor, expected) => {
    expect(client(peer, forwardedFor)).toBe(expected);
  });

  it.each(
    [
      ['', ' ', ',', ',,,,', 'unknown', '_hidden', 'localhost', '1.2.3', '01.2.3.4', '203.0.113.5:80'],
      ['[2001:db8::5]', '203.0.113.5,', '203.0.113.5,nonsense', '203.0.113.5, nonsense, 10.0.0.2'],
      [
        "'; drop table hit; --",
        '203.0.113.5\u0000',
        'for=203.0.113.5',
        'x'.repeat(10_000),
        ' '.repeat(10_000),
      ],
      ['10.0.0.2,'.repeat(1_100), `${'10.0.0.2, '.repeat(1_000)}10.0.0.3`, '::'.repeat(5_000)],
    ].flat(),
  )('what is no address leaves the peer: %j', (forwardedFor) => {
    expect(client('10.0.0.1', forwardedFor)).toBe('10.0.0.1');
  });

  it('takes the client of a chain of 10 kB that they began', () => {
    expect(client('10.0.0.1', `${'10.0.0.2, '.repeat(1_000)}203.0.113.5`)).toBe('203.0.113.5');
    expect(client('10.0.0.1', `${'x'.repeat(10_000)},203.0.113.5`)).toBe('203.0.113.5');
  });

  it('trusts nobody by default', () => {
    expect(client('127.0.0.1', '203.0.113.5', '')).toBe('127.0.0.1');
  });

  it('knows no address of a connection that no longer exists', () => {
    expect(client(undefined, '203.0.113.5')).toBe(null);
  });
});
