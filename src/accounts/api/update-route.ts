import { hostOf } from '../../platform/http/host.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { RouteInputSchema, RouteSchema, showRoute } from '../route.ts';
import { updateRoute as changeRoute } from '../route-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';
import { webhookAddress } from '../webhook-address.ts';

export const updateRoute = adminOperation({
  id: 'updateRoute',
  method: 'PUT',
  path: '/sites/{idsite}/routes/{idRoute}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Replace an SMTP route',
  description: 'Omit the password to keep it; null removes it.',
  params: Params({ idsite: SiteName(), idRoute: Id('route') }),
  body: RouteInputSchema,
  reply: RouteSchema,
  handle: async ({ db, app, params, body }) => {
    const site = await siteNamed(db, params.idsite);
    const route = await changeRoute(db, app.secrets, site.id, params.idRoute, {
      ...body,
      host: hostOf(body.host),
    });
    if (!route) throw notFound('Route');
    return showRoute(route, (id) => webhookAddress(app, id));
  },
});
