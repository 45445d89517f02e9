import type { App } from '../platform/app.ts';
import type { Connection } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type Route, type RouteInput, routeOfUrl } from './route.ts';

const purpose = 'route.password';

interface StoredRoute extends Omit<Route, 'password'> {
  readonly sealed: Buffer | null;
}

const columns = sql`id, id_site as "idSite", position, host, port, tls, username, password as sealed,
  max_connections as "maxConnections", messages_per_hour as "messagesPerHour",
  (select provider from facteur.route_webhook where id_route = route.id) as webhook`;

function opened(secrets: Secrets, { sealed, ...route }: StoredRoute): Route {
  return { ...route, password: sealed && secrets.decrypt(purpose, sealed) };
}

/** The routes of a site's own, in order of preference. */
export async function routesOf(control: Connection, secrets: Secrets, idSite: number): Promise<Route[]> {
  const rows = await control.rows<StoredRoute>(
    sql`select ${columns} from facteur.route where id_site = ${idSite} order by position, id`,
  );
  return rows.map((row) => opened(secrets, row));
}

/** Returns a site's relays in order of preference, or the configuration's (id 0). None: the built-in mailbox. */
export async function relaysOf(app: App, idSite: number): Promise<Route[]> {
  const own = await routesOf(app.control, app.secrets, idSite);
  const { smtpUrl } = app.config;
  return own.length > 0 || !smtpUrl ? own : [{ ...routeOfUrl(smtpUrl), id: 0, idSite }];
}

export async function createRoute(
  control: Connection,
  secrets: Secrets,
  idSite: number,
  route: RouteInput,
): Promise<Route> {
  const sealed = route.password ? secrets.encrypt(purpose, route.password) : null;
  const row = await control.one<StoredRoute>(sql`
    insert into facteur.route
      (id_site, position, host, port, tls, username, password, max_connections, messages_per_hour)
    values (${idSite}, ${route.position ?? 1}, ${route.host}, ${route.port}, ${route.tls},
      ${route.username ?? null}, ${sealed}, ${route.maxConnections ?? 10}, ${route.messagesPerHour ?? 0})
    returning ${columns}`);
  return opened(secrets, row);
}

/** Replaces a route of the site; undefined when it has none of that id. A password omitted stays. */
export async function updateRoute(
  control: Connection,
  secrets: Secrets,
  idSite: number,
  id: number,
  route: RouteInput,
): Promise<Route | undefined> {
  const row = await control.first<StoredRoute>(sql`
    update facteur.route set position = ${route.position ?? 1}, host = ${route.host}, port = ${route.port},
      tls = ${route.tls}, username = ${route.username ?? null}, password = ${newPassword(secrets, route)},
      max_connections = ${route.maxConnections ?? 10}, messages_per_hour = ${route.messagesPerHour ?? 0}
    where id = ${id} and id_site = ${idSite}
    returning ${columns}`);
  return row && opened(secrets, row);
}

function newPassword(secrets: Secrets, { password }: RouteInput): Sql {
  if (password === undefined) return sql`password`;
  return sql`${password === null ? null : secrets.encrypt(purpose, password)}`;
}

/** Whether there was such a route. */
export async function deleteRoute(control: Connection, idSite: number, id: number): Promise<boolean> {
  return control.touches(sql`delete from facteur.route where id = ${id} and id_site = ${idSite}`);
}

/** The hosts of all sites' routes, each once. */
export async function routeHosts(control: Connection): Promise<string[]> {
  return control.values<string>(sql`select distinct host from facteur.route order by host`);
}
