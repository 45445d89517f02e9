import { siteOperation } from '../../platform/http/operation.ts';
import { SiteSchema } from '../site.ts';
import { getSite as readSite, versionOfSite } from '../site-store.ts';

export const getSite = siteOperation({
  id: 'getSite',
  method: 'GET',
  path: '/site',
  right: 'read',
  tag: 'Site',
  summary: 'Get a site and its settings',
  reply: SiteSchema,
  versionOf: (db, _, isLocked) => versionOfSite(db, isLocked),
  handle: ({ db }) => readSite(db),
});
