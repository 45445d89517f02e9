import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { SiteSchema } from '../site.ts';
import { listSites as readSites } from '../site-store.ts';

export const listSites = adminOperation({
  id: 'listSites',
  method: 'GET',
  path: '/sites',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the sites',
  reply: Type.Array(SiteSchema),
  handle: ({ db }) => readSites(db),
});
