import { siteOperation } from '../../platform/http/operation.ts';
import { SiteSchema, SiteSettings } from '../site.ts';
import { updateSite as changeSite, versionOfSite } from '../site-store.ts';

export const updateSite = siteOperation({
  id: 'updateSite',
  method: 'PUT',
  path: '/site',
  right: 'admin',
  tag: 'Site',
  summary: 'Change the settings of a site',
  description:
    'For administrators of the site. Its name cannot be changed. `getMe` shows the settings to everyone with access ' +
    'to the site.',
  body: SiteSettings,
  example: { typedConfirmationFrom: 5000 },
  reply: SiteSchema,
  versionOf: (db, _, isLocked) => versionOfSite(db, isLocked),
  handle: ({ db, body }) => changeSite(db, body),
});
