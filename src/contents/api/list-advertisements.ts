import { siteOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { Advertisement } from '../advertisement.ts';
import { listAllAdvertisements } from '../advertisement-store.ts';

export const listAdvertisements = siteOperation({
  id: 'listAdvertisements',
  method: 'GET',
  path: '/advertisements',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List advertisements',
  description: 'All of them by id, archived ones too: isArchive says which.',
  reply: Type.Array(Advertisement),
  handle: ({ db }) => listAllAdvertisements(db),
});
