import { Host } from '../platform/http/host.ts';
import {
  Closed,
  Count,
  Id,
  Line,
  Maybe,
  Nullable,
  OneOf,
  ReadOnly,
  type Static,
  Type,
} from '../platform/http/schema.ts';
import { tlsModes } from '../platform/tls-mode.ts';
import { RouteWebhookSchema, type RouteWebhookShown, type WebhookProvider } from './route-webhook.ts';

const Port = () => Type.Integer({ title: 'Int32', minimum: 1, maximum: 65_535 });
const Connections = () => Type.Integer({ title: 'Int32', minimum: 1, maximum: 200 });

const positionText =
  'Routes of the lowest position share the messages; those of the next one are used while none of them can be reached';

export const RouteInputSchema = Closed('RouteInput', {
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1, description: positionText })),
  host: Host('smtp.example.com'),
  port: Port(),
  tls: OneOf(tlsModes),
  username: Maybe(Line(255)),
  /** Omitted in an update, the password stays; null removes it. */
  password: Maybe(Line(255)),
  maxConnections: Type.Optional(Connections()),
  messagesPerHour: Type.Optional(Count('0 is no limit')),
  id: ReadOnly(),
  hasPassword: ReadOnly(),
  webhook: ReadOnly(),
});
export type RouteInput = Static<typeof RouteInputSchema>;

/** A route as administration shows it; the password is never shown again. */
export const RouteSchema = Closed('Route', {
  id: Id('route'),
  position: Type.Integer(),
  host: Host('smtp.example.com'),
  port: Port(),
  tls: OneOf(tlsModes),
  username: Nullable(Line(255)),
  hasPassword: Type.Boolean(),
  maxConnections: Connections(),
  messagesPerHour: Count(),
  webhook: Nullable(RouteWebhookSchema),
});
type RouteShown = Static<typeof RouteSchema>;

/** One SMTP relay of a site, with what the sending engine needs to use it. */
export interface Route extends Readonly<Omit<RouteShown, 'hasPassword' | 'webhook'>> {
  readonly idSite: number;
  readonly password: string | null;
  /** Provider that reports on the route's messages by a webhook. */
  readonly webhook: WebhookProvider | null;
}

/** @param addressOf the address of the webhook of a route. */
export function showRoute(route: Route, addressOf: (idRoute: number) => string): RouteShown {
  const { idSite: _, password, webhook: provider, ...shown } = route;
  const webhook: RouteWebhookShown | null = provider && { provider, address: addressOf(route.id) };
  return { ...shown, hasPassword: password !== null, webhook };
}

/** The route that a relay's URL stands for: `smtp://user:password@host:port`, `smtps://…`, `?tls=none`. */
export function routeOfUrl(url: string): Omit<Route, 'id' | 'idSite'> {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const isSmtps = protocol === 'smtps:';
  const asked = searchParams.get('tls');
  const tls = tlsModes.find((mode) => mode === asked) ?? (isSmtps ? 'tls' : 'none');
  return {
    position: 1,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSmtps ? 465 : 25),
    tls,
    username: username === '' ? null : decodeURIComponent(username),
    password: password === '' ? null : decodeURIComponent(password),
    maxConnections: 10,
    messagesPerHour: 0,
    webhook: null,
  };
}
