import { adminOperation } from '../../platform/http/operation.ts';
import { Params, Type } from '../../platform/http/schema.ts';
import { RouteSchema, showRoute } from '../route.ts';
import { routesOf } from '../route-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';
import { webhookAddress } from '../webhook-address.ts';

export const listRoutes = adminOperation({
  id: 'listRoutes',
  method: 'GET',
  path: '/sites/{idsite}/routes',
  right: 'admin',
  tag: 'Administration',
  summary: "List a site's SMTP routes",
  params: Params({ idsite: SiteName() }),
  reply: Type.Array(RouteSchema),
  handle: async ({ db, app, params }) => {
    const site = await siteNamed(db, params.idsite);
    const routes = await routesOf(db, app.secrets, site.id);
    return routes.map((route) => showRoute(route, (id) => webhookAddress(app, id)));
  },
});
