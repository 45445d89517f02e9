import { describe, expect, it } from 'vitest';
import { networkOf, parseNetworks } from './network.ts';

describe('parseNetworks', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    'example.com',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ])('refuses %s', (text) => {
    expect(() => parseNetworks(text)).toThrow(`'${text}' is not an address or a range`);
  });
  it('treats IPv4-mapped IPv6 as IPv4', () => {
    expect(parseNetworks('::ffff:10.0.0.0/104 ::ffff:192.0.2.1')).toEqual([
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '192.0.2.1', prefix: 32, family: 'ipv4' },
    ]);
  });
  it('takes nothing for nothing', () => {
    expect(parseNetworks('')).toEqual([]);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('the network of %s is %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
