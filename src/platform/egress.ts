import { ADDRCONFIG, lookup as dnsLookup } from 'node:dns';
import { isIP } from 'node:net';
import { refused, unavailable } from './http/refusal.ts';
import { blockListOf, type Network, parseNetworks, plainAddress } from './network.ts';
import { isParsableUrl } from './parsable-url.ts';

/** Resolves a name to addresses; by default, the system's `dns.lookup`. */
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

/** Whether a canonical IP address may be connected to: public or allowed. IPv4-mapped IPv6 counts as IPv4. */
export function isAllowedAddress(address: string, allowed: readonly Network[]): boolean {
  const bare = plainAddress(address);
  const version = isIP(bare);
  if (version === 0) return false;
  if (allowed.length > 0 && blockListOf(allowed).check(bare, version === 4 ? 'ipv4' : 'ipv6')) return true;
  return isPublicAddress(bare);
}

/** Whether an IP address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  const bare = plainAddress(address);
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
  return isIP(canonical) === 0 ? undefined : plainAddress(canonical);
}

/**
 * Returns the address to connect to for a host that a user entered: public, or allowed by the operator. The name is
 * resolved once, here; the caller connects to this address and never to the name, so a second DNS response (rebinding)
 * cannot lead elsewhere.
 * @param member the property that holds the host, for the message
 * @throws 422 if it is internal, 503 if the name cannot be resolved
 */
export async function egressAddress(
  host: string,
  allowed: readonly Network[],
  { member = 'host', lookup = systemLookup }: { member?: string; lookup?: Lookup } = {},
): Promise<string> {
  const literal = hostAddress(host);
  const found = literal === undefined ? await resolve(host, lookup) : [literal];
  const address = found.map(plainAddress).find((one) => isAllowedAddress(one, allowed));
  if (address !== undefined) return address;
  // The message omits the address, because it would reveal the internal network.
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
