import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { blockListOf, type Network, plainAddress } from '../network.ts';

/** The address of whom a request comes from, as `plainAddress` writes it; null when its connection no longer exists. */
export type ClientAddress = (request: IncomingMessage) => string | null;

const addressLength = 45;
/** Maximum number of proxies behind each other. A header may have 2 MB, and each entry costs a look-up. */
const maxHops = 32;

/**
 * Returns the function that finds a request's client behind the trusted proxies. The client is the peer, unless that is
 * a trusted proxy; then the last address in X-Forwarded-For that is not trusted, or the first if all are. Entries are
 * read from the end, because each proxy appends its peer's address, and everything before that is the client's own
 * claim.
 *
 * An entry that is not an address leaves the connection's own: nothing that a stranger writes gets into a limit's key
 * or into the database. Fastify's `trustProxy` passes such an entry on and also believes X-Forwarded-Host and
 * X-Forwarded-Proto, and requests for tracked links never reach Fastify.
 */
export function clientAddressBehind(proxies: readonly Network[]): ClientAddress {
  const trusted = blockListOf(proxies);
  const isTrusted = (address: string): boolean =>
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return ({ socket, headers }) => {
    if (!socket.remoteAddress) return null;
    const peer = plainAddress(socket.remoteAddress);
    // Several such fields come from Node as one, in their order.
    const chain = headers['x-forwarded-for'];
    if (proxies.length === 0 || typeof chain !== 'string' || !isTrusted(peer)) return peer;
    return lastUntrusted(chain, isTrusted) ?? peer;
  };
}

/** Undefined when the entry that is requested is no address, or too far away. */
function lastUntrusted(chain: string, isTrusted: (address: string) => boolean): string | undefined {
  let end = chain.length;
  for (let hop = 0; hop < maxHops; hop++) {
    const comma = chain.lastIndexOf(',', end - 1);
    const start = end === 0 ? 0 : comma + 1;
    // Room for the spaces around it; a text of megabytes is not trimmed.
    const entry = end - start > addressLength * 2 ? '' : chain.slice(start, end).trim();
    if (entry.length > addressLength || isIP(entry) === 0) return undefined;
    const address = plainAddress(entry);
    if (start === 0 || !isTrusted(address)) return address;
    end = comma;
  }
  return undefined;
}
