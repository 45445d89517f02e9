import { describe, expect, it } from 'vitest';
import { egressAddress, hostAddress, isAllowedAddress } from './egress.ts';
import { parseNetworks } from './network.ts';

const internal = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:7f00:0001',
  '::ffff:10.1.2.3',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
];
const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '192.169.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a01:e00::1',
  '::ffff:8.8.8.8',
];

describe('isAllowedAddress', () => {
  it.each(internal)('%s is internal', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });

  it.each(open)('%s is public', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true);
  });

  it('takes what the operator allows, and nothing beside it', () => {
    const allowed = parseNetworks('10.1.0.0/16, 192.168.1.5\nfd00:1::/32');
    const asked = [
      '10.1.2.3',
      '::ffff:10.1.2.3',
      '10.2.0.1',
      '192.168.1.5',
      '192.168.1.6',
      'fd00:1::9',
      'fd00:2::9',
    ];
    expect(asked.map((one) => isAllowedAddress(one, allowed))).toEqual([
      ...[true, true, false, true, false, true, false],
    ]);
  });

  it('takes no name for an address', () => {
    expect(['localhost', '', '127.0.0.1.example', '1.2.3'].map((one) => isAllowedAddress(one, []))).toEqual([
      ...[false, false, false, false],
    ]);
  });
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0X7F.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['①②⑦.0.0.1', '127.0.0.1'],
  ['127。0。0。1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['[::ffff:127.0.0.1]', '127.0.0.1'],
  ['::FFFF:7F00:1', '127.0.0.1'],
  ['sftp.example.com', undefined],
  ['localhost', undefined],
])('hostAddress reads %s as %s', (host, address) => {
  expect(hostAddress(host)).toBe(address);
});

describe('egressAddress', () => {
  const unasked = () => Promise.reject(new Error('asked'));

  it.each([
    ...[
      '127.0.0.1',
      '::1',
      '[::1]',
      '169.254.169.254',
      '10.0.0.1',
      '[::ffff:127.0.0.1]',
      '0x7f000001',
      '2130706433',
    ],
    '127.1',
  ])('422 for %s, without asking a name server', async (host) => {
    await expect(egressAddress(host, [], { lookup: unasked })).rejects.toMatchObject({
      status: 422,
      message: `host: ${host} is an internal address; an operator can allow its network (FACTEUR_PRIVATE_NETWORKS)`,
    });
  });

  it('422 for a name that leads inside, without the address', async () => {
    const lookup = async () => ['10.9.8.7', '::1'];
    const failed = await egressAddress('in.example', [], { lookup }).catch((error: Error) => error);
    expect(failed).toMatchObject({ status: 422 });
    expect(String(failed)).not.toContain('10.9.8.7');
  });

  it('422 for localhost, by the resolver of this machine', async () => {
    await expect(egressAddress('localhost', [])).rejects.toMatchObject({ status: 422 });
    expect(['127.0.0.1', '::1']).toContain(
      await egressAddress('localhost', parseNetworks('127.0.0.0/8 ::1')),
    );
  });

  it('asks once and gives an address, so that a second answer changes nothing', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const lookup = async () => answers.shift()!;
    expect(await egressAddress('rebinding.example', [], { lookup })).toBe('93.184.216.34');
    expect(answers).toHaveLength(1);
    // The next connection asks again, and is refused.
    await expect(egressAddress('rebinding.example', [], { lookup })).rejects.toMatchObject({ status: 422 });
  });

  it('passes over internal answers between public ones', async () => {
    const lookup = async () => ['127.0.0.1', '::ffff:10.0.0.1', '8.8.8.8'];
    expect(await egressAddress('mixed.example', [], { lookup })).toBe('8.8.8.8');
  });

  it('503 for a name that nobody knows', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    await expect(egressAddress('no.example', [], { lookup })).rejects.toMatchObject({
      status: 503,
      message: 'The host no.example cannot be resolved (ENOTFOUND)',
    });
    await expect(egressAddress('no.example', [], { lookup: async () => [] })).rejects.toMatchObject({
      status: 503,
    });
  });
});
