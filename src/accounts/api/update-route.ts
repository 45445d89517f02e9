import { hostOf } from '../../platform/http/host.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id } from '../../platform/http/schema.ts';
import { RouteInputSchema, RouteSchema, showRoute } from '../route.ts';
import { updateRoute as changeRoute } from '../route-store.ts';
import { siteAdministration } from '../site-administration.ts';
import { webhookAddress } from '../webhook-address.ts';

export const updateRoute = siteAdministration({
  id: 'updateRoute',
  method: 'PUT',
  path: '/routes/{idRoute}',
  summary: 'Replace an SMTP route',
  description: 'Omit the password to keep it; null removes it.',
  params: { idRoute: Id('route') },
  body: RouteInputSchema,
  reply: RouteSchema,
  handle: async ({ db, app, idSite, params, body }) => {
    const given = { ...body, host: hostOf(body.host) };
    const route = await changeRoute(db, app.secrets, idSite, params.idRoute, given);
    return showRoute(found(route, 'Route'), (id) => webhookAddress(app, id));
  },
});
