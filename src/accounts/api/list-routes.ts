import { Type } from '../../platform/http/schema.ts';
import { RouteSchema, showRoute } from '../route.ts';
import { routesOf } from '../route-store.ts';
import { siteAdministration } from '../site-administration.ts';
import { webhookAddress } from '../webhook-address.ts';

export const listRoutes = siteAdministration({
  id: 'listRoutes',
  method: 'GET',
  path: '/routes',
  summary: "List a site's SMTP routes",
  reply: Type.Array(RouteSchema),
  handle: async ({ db, app, idSite }) => {
    const routes = await routesOf(db, app.secrets, idSite);
    return routes.map((route) => showRoute(route, (id) => webhookAddress(app, id)));
  },
});
