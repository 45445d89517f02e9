import { ADDRCONFIG, lookup as dnsLookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { refused, unavailable } from './http/refusal.ts';
import { isParsableUrl } from './parsable-url.ts';

/** A range of addresses in CIDR form, read by `parseNetworks`. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** What a name resolves to; `dns.lookup` of the system by default. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/**
 * Ranges that are not the public Internet: IANA's registries of special-purpose addresses, multicast, and the IPv6
 * ranges that carry an IPv4 address of anybody's choice inside (6to4, Teredo, NAT64).
 */
const notPublic = parseNetworks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 ' +
    '198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20',
);
/** The only IPv6 range that is given out to networks of the public Internet. */
const globalUnicast = blockListOf(parseNetworks('2000::/3'));
const notPublicList = blockListOf(notPublic);

/**
 * The ranges of a list like `10.1.0.0/16, 192.168.1.5`; an address alone is a range of one.
 * @throws Error that names the part which is none.
 */
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
      return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
    });
}

/**
 * Whether an IP address (canonical, as `hostAddress` gives it) may be connected to: it belongs to the public
 * Internet or to a range that the operator allows. An IPv4 address in IPv6 clothes (`::ffff:…`) is what it carries.
 */
export function isAllowedAddress(address: string, allowed: readonly Network[]): boolean {
  const bare = unmapped(address);
  const version = isIP(bare);
  if (version === 0) return false;
  if (allowed.length > 0 && blockListOf(allowed).check(bare, version === 4 ? 'ipv4' : 'ipv6')) return true;
  return isPublicAddress(bare);
}

/** Whether an IP address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  const bare = unmapped(address);
  if (isIP(bare) === 4) return !notPublicList.check(bare, 'ipv4');
  return isIP(bare) === 6 && globalUnicast.check(bare, 'ipv6') && !notPublicList.check(bare, 'ipv6');
}

/**
 * The IP address that a host stands for by itself, in its usual form, or undefined when it is a name. Decimal,
 * octal, hexadecimal and shortened forms (`2130706433`, `0x7f000001`, `127.1`) are addresses to the system's
 * resolver, so they are to us.
 */
export function hostAddress(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const url = isIP(bare) === 6 ? `http://[${bare}]/` : `http://${bare}/`;
  if (!isParsableUrl(url)) return undefined;
  const canonical = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(canonical) === 0 ? undefined : unmapped(canonical);
}

/**
 * The address to connect to for a host that somebody has typed in: public, or allowed by the operator. The name is
 * resolved here and once; the caller connects to this address and never to the name, so that a second answer of the
 * name server (rebinding) cannot lead elsewhere.
 * @param member the member that holds the host, for the message.
 * @throws 422 when it leads inside, 503 when the name cannot be resolved.
 */
export async function egressAddress(
  host: string,
  allowed: readonly Network[],
  { member = 'host', lookup = systemLookup }: { member?: string; lookup?: Lookup } = {},
): Promise<string> {
  const literal = hostAddress(host);
  const found = literal === undefined ? await resolve(host, lookup) : [literal];
  const address = found.map(unmapped).find((one) => isAllowedAddress(one, allowed));
  if (address !== undefined) return address;
  // The address itself stays out of the message: it would tell how the inside is laid out.
  throw refused(
    `${member}: ${host} is an internal address; an operator can allow its network (FACTEUR_PRIVATE_NETWORKS)`,
  );
}

async function resolve(host: string, lookup: Lookup): Promise<readonly string[]> {
  const found = await lookup(host).catch((error: { code?: string }) => {
    throw unavailable(`The host ${host} cannot be resolved (${error.code ?? 'no answer'})`);
  });
  if (found.length === 0) throw unavailable(`The host ${host} has no address`);
  return found;
}

/** Addresses of kinds that this machine has itself, so that one without IPv6 is not sent there. */
const systemLookup: Lookup = (host) =>
  new Promise((done, fail) =>
    dnsLookup(host, { all: true, hints: ADDRCONFIG }, (error, found) =>
      error ? fail(error) : done(found.map(({ address }) => address)),
    ),
  );

function blockListOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/** `::ffff:127.0.0.1`, however it is written, as the IPv4 address that it is. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  // The URL standard writes every IPv6 address in one way: `::ffff:7f00:1`. A zone (`%eth0`) is no part of it.
  const canonical = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1);
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!hex) return canonical;
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
