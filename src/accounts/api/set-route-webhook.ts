import { invalid, notFound } from '../../platform/http/refusal.ts';
import { Id } from '../../platform/http/schema.ts';
import { RouteWebhookInputSchema, RouteWebhookSchema, secretProblem } from '../route-webhook.ts';
import { findRouteWebhook, storeRouteWebhook } from '../route-webhook-store.ts';
import { siteAdministration } from '../site-administration.ts';
import { webhookAddress } from '../webhook-address.ts';

export const setRouteWebhook = siteAdministration({
  id: 'setRouteWebhook',
  method: 'PUT',
  path: '/routes/{idRoute}/webhook',
  summary: "Set up the webhook of a route's provider",
  description:
    'The provider behind the route reports bounces and complaints to the address in the reply. From then on messages ' +
    'that leave by the route carry a header by which the provider names them. The secret is stored encrypted.',
  params: { idRoute: Id('route') },
  body: RouteWebhookInputSchema,
  example: { provider: 'postmark', secret: 'k3uV9wQ2xS7yB4nM' },
  reply: RouteWebhookSchema,
  handle: async ({ db, app, idSite, params: { idRoute }, body }) => {
    const { provider } = body;
    const stored = await findRouteWebhook(db, app.secrets, idRoute);
    const kept = stored?.idSite === idSite && stored.provider === provider ? stored.secret : undefined;
    const secret = body.secret ?? kept;
    if (secret === undefined) throw invalid(`secret: required to set up a webhook of ${provider}`);
    const problem = secretProblem(provider, secret);
    if (problem !== undefined) throw invalid(`secret: ${problem}`);
    const webhook = { idSite, provider, secret };
    if (!(await storeRouteWebhook(db, app.secrets, idRoute, webhook))) throw notFound('Route');
    return { provider, address: webhookAddress(app, idRoute) };
  },
});
