import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { ProviderSchema } from '../provider.ts';
import { listProviders as readProviders } from '../provider-store.ts';

export const listProviders = adminOperation({
  id: 'listProviders',
  method: 'GET',
  path: '/providers',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the mailbox providers and their domains',
  reply: Type.Array(ProviderSchema),
  handle: ({ db }) => readProviders(db),
});
