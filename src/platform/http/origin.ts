import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { App } from '../app.ts';
import { blockListOf, plainAddress } from '../network.ts';

/** Where the service's own pages are, as browsers name it: scheme, host and port. */
export interface Origins {
  /** Whether the `origin` header of a request names the service itself. */
  isOwn(request: IncomingMessage): boolean;
  /** Whether a browser says that our own page or the user caused a request; true for clients that say nothing. */
  isFromOwnPage(request: IncomingMessage): boolean;
  /** Whether a request came by https, as far as the service can know. */
  isSecure(request: IncomingMessage): boolean;
}

/** The service's own origins: of its public address, and of the host that a request names, by the proxy's scheme. */
export function originsOf(app: Pick<App, 'config' | 'publicUrl'>): Origins {
  const trusted = blockListOf(app.config.trustedProxies);
  const comesByProxy = ({ socket }: IncomingMessage): boolean => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    return isIP(peer) !== 0 && trusted.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4');
  };
  const isSecure = (request: IncomingMessage): boolean => {
    if ((request.socket as Partial<TLSSocket>).encrypted) return true;
    const { host, 'x-forwarded-proto': scheme } = request.headers;
    if (scheme === 'https' && comesByProxy(request)) return true;
    // Asked each time: the port is not known before the service listens.
    const { protocol, host: publicHost } = new URL(app.publicUrl);
    return protocol === 'https:' && host?.toLowerCase() === publicHost;
  };
  return {
    isSecure,
    isFromOwnPage({ headers: { 'sec-fetch-site': source } }) {
      return source === undefined || source === 'same-origin' || source === 'none';
    },
    isOwn(request) {
      const { origin, host } = request.headers;
      if (origin === undefined) return false;
      if (origin === new URL(app.publicUrl).origin) return true;
      return (
        host !== undefined && origin === `${isSecure(request) ? 'https' : 'http'}://${host.toLowerCase()}`
      );
    },
  };
}
