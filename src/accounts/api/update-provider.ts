import { adminOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { ProviderInputSchema, ProviderSchema, providerOf } from '../provider.ts';
import { updateProvider as changeProvider } from '../provider-store.ts';

export const updateProvider = adminOperation({
  id: 'updateProvider',
  method: 'PUT',
  path: '/providers/{idProvider}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Replace a mailbox provider, its domains and limits',
  description: 'Takes effect within a minute. An omitted limit means no limit.',
  params: Params({ idProvider: Id('provider') }),
  body: ProviderInputSchema,
  reply: ProviderSchema,
  refusals: [409],
  handle: async ({ db, params, body }) =>
    found(await changeProvider(db, params.idProvider, providerOf(body)), 'Provider'),
});
