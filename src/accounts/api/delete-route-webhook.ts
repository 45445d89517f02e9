import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { deleteRouteWebhook as removeWebhook } from '../route-webhook-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const deleteRouteWebhook = adminOperation({
  id: 'deleteRouteWebhook',
  method: 'DELETE',
  path: '/sites/{idsite}/routes/{idRoute}/webhook',
  right: 'admin',
  tag: 'Administration',
  summary: 'Delete the webhook of a route',
  description: 'Requests to its URL then return 404.',
  params: Params({ idsite: SiteName(), idRoute: Id('route') }),
  reply: Bool(),
  handle: async ({ db, params }) => {
    const site = await siteNamed(db, params.idsite);
    if (!(await removeWebhook(db, site.id, params.idRoute))) throw notFound('Webhook');
    return true;
  },
});
