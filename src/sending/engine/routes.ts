import { routeOfUrl } from '../../accounts/route.ts';
import { routesOf } from '../../accounts/route-store.ts';
import type { App } from '../../platform/app.ts';
import type { SmtpTimeouts } from '../smtp/outcome.ts';
import type { PoolRoute } from './route-pool.ts';

/**
 * Where a site's mail leaves: its own relays, else the configured one, else the built-in mailbox, which every site
 * shares with the others.
 * @param mailboxPort the port of our own SMTP listener.
 */
export async function poolRoutesOf(
  app: App,
  idSite: number,
  mailboxPort: number,
  timeouts: SmtpTimeouts,
): Promise<PoolRoute[]> {
  const clientName = new URL(app.publicUrl).hostname;
  const own = await routesOf(app.control, app.secrets, idSite);
  const { smtpUrl } = app.config;
  const routes = own.length > 0 || !smtpUrl ? own : [{ ...routeOfUrl(smtpUrl), id: 0 }];
  if (routes.length === 0) return [mailboxRoute(app, { port: mailboxPort, clientName, timeouts })];
  return routes.map((route) => ({
    key: route.id === 0 ? 'default' : `route:${route.id}`,
    server: {
      host: route.host,
      port: route.port,
      tls: route.tls,
      auth: route.username === null ? undefined : { user: route.username, password: route.password ?? '' },
      clientName,
      timeouts,
    },
    maxConnections: route.maxConnections,
    messagesPerHour: route.messagesPerHour,
  }));
}

/** The listener takes mail of anybody for return paths only; to keep a message it asks for this password. */
function mailboxRoute(
  app: App,
  of: { readonly port: number; readonly clientName: string; readonly timeouts: SmtpTimeouts },
): PoolRoute {
  const auth = { user: 'mailbox', password: app.secrets.key('mailbox').toString('base64url') };
  return {
    key: 'mailbox',
    server: { host: '127.0.0.1', tls: 'none', auth, ...of },
    maxConnections: 10,
    messagesPerHour: 0,
  };
}
