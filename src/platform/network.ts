import { BlockList, isIP, isIPv6 } from 'node:net';

/** A range of addresses in CIDR form, read by `parseNetworks`. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses ranges like `10.1.0.0/16, 192.168.1.5`. @throws Error that names the invalid part */
export function parseNetworks(text: string): Network[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part) => {
      const [address = '', length, ...rest] = part.split('/');
      const version = isIP(address);
      const bits = version === 4 ? 32 : 128;
      const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
      if (version === 0 || rest.length > 0 || !(prefix <= bits))
        throw new Error(`'${part}' is not an address or a range such as 10.1.0.0/16`);
      const plain = plainAddress(address);
      // `::ffff:10.0.0.0/104` is 10.0.0.0/8, as the addresses that are compared with it are IPv4.
      if (version === 6 && isIP(plain) === 4 && prefix >= 96)
        return { address: plain, prefix: prefix - 96, family: 'ipv4' };
      return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
    });
}

/** The ranges as one question: is this address in any of them? */
export function blockListOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/** Returns an IP address in its usual form: IPv4-mapped as IPv4, IPv6 without its zone. Other text stays. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  // The URL standard writes every IPv6 address in one way: `::ffff:7f00:1`. A zone (`%eth0`) is no part of it.
  const canonical = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1);
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!hex) return canonical;
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns the network that counts as one address: an IPv6 customer has a whole /64. */
export function networkOf(ip: string): string {
  const plain = plainAddress(ip);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':');
}
