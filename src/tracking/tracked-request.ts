import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LinkToken } from '../activity/link-token.ts';

/** A request to an address that we signed. */
export interface TrackedRequest {
  readonly token: LinkToken;
  /** The token as it was written. */
  readonly text: string;
  readonly at: Date;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The peer's address as PostgreSQL reads it: IPv4 as such, IPv6 without its zone. */
export function peerAddress(request: IncomingMessage): string | null {
  const address = request.socket.remoteAddress;
  if (!address) return null;
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  const zone = plain.indexOf('%');
  return zone < 0 ? plain : plain.slice(0, zone);
}
