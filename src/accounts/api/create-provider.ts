import { adminOperation } from '../../platform/http/operation.ts';
import { ProviderInputSchema, ProviderSchema, providerOf } from '../provider.ts';
import { insertProvider } from '../provider-store.ts';

export const createProvider = adminOperation({
  id: 'createProvider',
  method: 'POST',
  path: '/providers',
  right: 'admin',
  tag: 'Administration',
  summary: 'Add a mailbox provider with its domains and limits',
  description:
    'Limits concurrent connections per process, and messages per hour. Default: 0, which means no limit.',
  body: ProviderInputSchema,
  reply: ProviderSchema,
  refusals: [409],
  handle: ({ db, body }) => insertProvider(db, providerOf(body)),
});
