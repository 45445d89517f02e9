import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { deleteRoute as removeRoute } from '../route-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const deleteRoute = adminOperation({
  id: 'deleteRoute',
  method: 'DELETE',
  path: '/sites/{idsite}/routes/{idRoute}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Delete an SMTP route',
  params: Params({ idsite: SiteName(), idRoute: Id('route') }),
  reply: Bool(),
  handle: async ({ db, params }) => {
    const site = await siteNamed(db, params.idsite);
    if (!(await removeRoute(db, site.id, params.idRoute))) throw notFound('Route');
    return true;
  },
});
