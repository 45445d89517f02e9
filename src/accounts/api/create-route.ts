import { hostOf } from '../../platform/http/host.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Params } from '../../platform/http/schema.ts';
import { RouteInputSchema, RouteSchema, showRoute } from '../route.ts';
import { createRoute as makeRoute } from '../route-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';
import { webhookAddress } from '../webhook-address.ts';

export const createRoute = adminOperation({
  id: 'createRoute',
  method: 'POST',
  path: '/sites/{idsite}/routes',
  right: 'admin',
  tag: 'Administration',
  summary: 'Add an SMTP route to a site',
  params: Params({ idsite: SiteName() }),
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
  handle: async ({ db, app, params, body }) => {
    const site = await siteNamed(db, params.idsite);
    const route = await makeRoute(db, app.secrets, site.id, { ...body, host: hostOf(body.host) });
    return showRoute(route, (id) => webhookAddress(app, id));
  },
});
