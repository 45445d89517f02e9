import { adminOperation } from '../../platform/http/operation.ts';
import { Closed } from '../../platform/http/schema.ts';
import { SiteName, SiteSchema } from '../site.ts';
import { createSite as makeSite } from '../site-store.ts';

export const createSite = adminOperation({
  id: 'createSite',
  method: 'POST',
  path: '/sites',
  right: 'admin',
  tag: 'Administration',
  summary: 'Create a site',
  description: 'Creates an empty customer database and its account on the embedded SFTP server.',
  body: Closed('SiteInput', { name: SiteName() }),
  example: { name: 'shop' },
  reply: SiteSchema,
  refusals: [409],
  handle: ({ db, app, body, now }) => makeSite(db, app.secrets, body.name, now),
});
