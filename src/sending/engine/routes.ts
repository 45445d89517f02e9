import { relaysOf } from '../../accounts/route-store.ts';
import type { SmtpTimeouts } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import { mailboxLogin } from '../../platform/mailbox-login.ts';
import type { PoolRoute } from './route-pool.ts';

/** Where a site's mail can leave. */
export interface SiteRoutes {
  /** Its own relays, in order of position, else the configured one. */
  readonly relays: readonly PoolRoute[];
  /** The built-in mailbox, which all sites share: for mail of a site without a relay. */
  readonly mailbox: PoolRoute;
}

/** @param mailboxPort the port of our own SMTP listener. */
export async function siteRoutesOf(
  app: App,
  idSite: number,
  mailboxPort: number,
  timeouts: SmtpTimeouts,
): Promise<SiteRoutes> {
  const clientName = new URL(app.publicUrl).hostname;
  const relays = (await relaysOf(app, idSite)).map((route) => ({
    key: route.id === 0 ? 'default' : `route:${route.id}`,
    position: route.position,
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
    webhook: route.webhook,
  }));
  return { relays, mailbox: mailboxRoute(app, { port: mailboxPort, clientName, timeouts }) };
}

function mailboxRoute(
  app: App,
  of: { readonly port: number; readonly clientName: string; readonly timeouts: SmtpTimeouts },
): PoolRoute {
  return {
    key: 'mailbox',
    position: 1,
    server: { host: '127.0.0.1', tls: 'none', auth: mailboxLogin(app.secrets), ...of },
    maxConnections: 10,
    messagesPerHour: 0,
    webhook: null,
  };
}
