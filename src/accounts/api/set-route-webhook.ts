import { adminOperation } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { RouteWebhookInputSchema, RouteWebhookSchema, secretProblem } from '../route-webhook.ts';
import { findRouteWebhook, storeRouteWebhook } from '../route-webhook-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';
import { webhookAddress } from '../webhook-address.ts';

export const setRouteWebhook = adminOperation({
  id: 'setRouteWebhook',
  method: 'PUT',
  path: '/sites/{idsite}/routes/{idRoute}/webhook',
  right: 'admin',
  tag: 'Administration',
  summary: "Set up the webhook of a route's provider",
  description:
    'The provider behind the route reports bounces and complaints to the address in the reply. From then on messages ' +
    'that leave by the route carry a header by which the provider names them. The secret is stored encrypted.',
  params: Params({ idsite: SiteName(), idRoute: Id('route') }),
  body: RouteWebhookInputSchema,
  example: { provider: 'postmark', secret: 'k3uV9wQ2xS7yB4nM' },
  reply: RouteWebhookSchema,
  handle: async ({ db, app, params: { idsite, idRoute }, body }) => {
    const site = await siteNamed(db, idsite);
    const { provider } = body;
    const stored = await findRouteWebhook(db, app.secrets, idRoute);
    const kept = stored?.idSite === site.id && stored.provider === provider ? stored.secret : undefined;
    const secret = body.secret ?? kept;
    if (secret === undefined) throw invalid(`secret: required to set up a webhook of ${provider}`);
    const problem = secretProblem(provider, secret);
    if (problem !== undefined) throw invalid(`secret: ${problem}`);
    const webhook = { idSite: site.id, provider, secret };
    if (!(await storeRouteWebhook(db, app.secrets, idRoute, webhook))) throw notFound('Route');
    return { provider, address: webhookAddress(app, idRoute) };
  },
});
