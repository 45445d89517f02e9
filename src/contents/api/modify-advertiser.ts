import { siteAction } from '../../platform/http/operation.ts';
import { AdvertiserChange } from '../advertiser.ts';
import { advertisers } from '../advertiser-store.ts';

export const modifyAdvertiser = siteAction({
  id: 'modifyAdvertiser',
  method: 'PUT',
  path: '/advertisers',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Modify an advertiser',
  description: 'Send only the properties to change; the others keep their values.',
  deprecated: true,
  body: AdvertiserChange,
  refusals: [404],
  handle: ({ db, body }) => advertisers.merge(db, body.id, body),
});
