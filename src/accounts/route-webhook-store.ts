import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { RouteWebhook, WebhookProvider } from './route-webhook.ts';

const purpose = 'route.webhook';

/** Returns the webhook of a route with its secret; undefined if the route has none or does not exist. */
export async function findRouteWebhook(
  control: Connection,
  secrets: Secrets,
  idRoute: number,
): Promise<RouteWebhook | undefined> {
  const row = await control.first<{ idSite: number; provider: WebhookProvider; sealed: Buffer }>(sql`
    select r.id_site as "idSite", w.provider, w.secret as sealed
    from facteur.route_webhook w join facteur.route r on r.id = w.id_route
    where w.id_route = ${idRoute}`);
  if (!row) return undefined;
  const { idSite, provider, sealed } = row;
  return { idSite, provider, secret: secrets.decrypt(purpose, sealed) };
}

/** Sets up or replaces the webhook of a route of the site. Returns false if the site has no such route. */
export async function storeRouteWebhook(
  control: Connection,
  secrets: Secrets,
  idRoute: number,
  { idSite, provider, secret }: RouteWebhook,
): Promise<boolean> {
  return control.touches(sql`
    insert into facteur.route_webhook (id_route, provider, secret)
    select id, ${provider}, ${secrets.encrypt(purpose, secret)}::bytea
    from facteur.route where id = ${idRoute} and id_site = ${idSite}
    on conflict (id_route) do update set provider = excluded.provider, secret = excluded.secret`);
}

/** Removes the webhook of a route of the site. Returns whether there was one. */
export async function deleteRouteWebhook(
  control: Connection,
  idSite: number,
  idRoute: number,
): Promise<boolean> {
  return control.touches(sql`
    delete from facteur.route_webhook w using facteur.route r
    where r.id = w.id_route and r.id = ${idRoute} and r.id_site = ${idSite}`);
}
