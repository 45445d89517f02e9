import { hostOf } from '../../platform/http/host.ts';
import { RouteInputSchema, RouteSchema, showRoute } from '../route.ts';
import { createRoute as makeRoute } from '../route-store.ts';
import { siteAdministration } from '../site-administration.ts';
import { webhookAddress } from '../webhook-address.ts';

export const createRoute = siteAdministration({
  id: 'createRoute',
  method: 'POST',
  path: '/routes',
  summary: 'Add an SMTP route to a site',
  body: RouteInputSchema,
  example: {
    host: 'smtp.example.com',
    port: 587,
    tls: 'starttls',
    username: 'shop',
    password: 'a secret',
    maxConnections: 10,
    messagesPerHour: 0,
  },
  reply: RouteSchema,
  handle: async ({ db, app, idSite, body }) => {
    const route = await makeRoute(db, app.secrets, idSite, { ...body, host: hostOf(body.host) });
    return showRoute(route, (id) => webhookAddress(app, id));
  },
});
