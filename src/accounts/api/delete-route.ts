import { found } from '../../platform/http/refusal.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { deleteRoute as removeRoute } from '../route-store.ts';
import { siteAdministration } from '../site-administration.ts';

export const deleteRoute = siteAdministration({
  id: 'deleteRoute',
  method: 'DELETE',
  path: '/routes/{idRoute}',
  summary: 'Delete an SMTP route',
  params: { idRoute: Id('route') },
  reply: Bool(),
  handle: async ({ db, idSite, params }) => found(await removeRoute(db, idSite, params.idRoute), 'Route'),
});
