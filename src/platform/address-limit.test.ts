import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { AddressLimit } from './address-limit.ts';

const from = (remoteAddress: string | undefined) =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

it('counts an IPv6 /64 as one address, IPv4 however it is written, until the connection no longer exists', async () => {
  const limit = new AddressLimit(2);
  const first = from('2001:db8::1');
  expect(limit.admits(first)).toBe(true);
  expect(limit.admits(from('2001:db8:0:0:ffff::2'))).toBe(true);
  expect(limit.admits(from('2001:db8::3'))).toBe(false);
  expect(limit.admits(from('2001:db8:0:1::1'))).toBe(true);
  first.destroy();
  await once(first, 'close');
  expect(limit.admits(from('2001:db8::3'))).toBe(true);

  expect(
    [from('192.0.2.1'), from('::ffff:192.0.2.1'), from('192.0.2.1')].map((one) => limit.admits(one)),
  ).toEqual([true, true, false]);
  expect(limit.admits(from(undefined))).toBe(false);
});
