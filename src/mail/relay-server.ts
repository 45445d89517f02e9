import type { Route } from '../accounts/route.ts';
import type { App } from '../platform/app.ts';
import type { SmtpServer } from './smtp-server.ts';

/** The name by which this installation introduces itself to relays. */
export const clientNameOf = (app: App): string => new URL(app.publicUrl).hostname;

/** The server that a route leads to. */
export function serverOf(app: App, { host, port, tls, username, password }: Route): SmtpServer {
  const auth = username === null ? undefined : { user: username, password: password ?? '' };
  return { host, port, tls, auth, clientName: clientNameOf(app) };
}
