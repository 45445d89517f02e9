import { found } from '../../platform/http/refusal.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { deleteRouteWebhook as removeWebhook } from '../route-webhook-store.ts';
import { siteAdministration } from '../site-administration.ts';

export const deleteRouteWebhook = siteAdministration({
  id: 'deleteRouteWebhook',
  method: 'DELETE',
  path: '/routes/{idRoute}/webhook',
  summary: 'Delete the webhook of a route',
  description: 'Requests to its URL then return 404.',
  params: { idRoute: Id('route') },
  reply: Bool(),
  handle: async ({ db, idSite, params }) => found(await removeWebhook(db, idSite, params.idRoute), 'Webhook'),
});
