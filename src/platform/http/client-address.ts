import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { blockListOf, type Network, plainAddress } from '../network.ts';

/** The address of whom a request comes from, as `plainAddress` writes it; null when its connection no longer exists. */
export type ClientAddress = (request: IncomingMessage) => string | null;

/** Longer is no address. */
const addressLength = 45;
/** More proxies than this behind each other are none: a head may have 2 MB, and each entry costs a look. */
const maxHops = 32;

/**
 * Reports clients from the proxies in front of us: who connects, unless that is a trusted proxy; then the last
 * address in X-Forwarded-For that is none, or the first of all when all are. Entries are read from the end, because
 * each proxy appends whom it was called by and everything before that is the caller's own word.
 *
 * What is no address where one is needed leaves the connection's own: nothing that a stranger writes gets into a
 * limit's key or into the database. This is not Fastify's `trustProxy`: that one hands such an entry on as it is,
 * believes X-Forwarded-Host and X-Forwarded-Proto, too, and tracked addresses never reach Fastify.
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
