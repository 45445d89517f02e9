import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Advertiser } from '../advertiser.ts';
import { advertisers } from '../advertiser-store.ts';

export const getAdvertiser = siteOperation({
  id: 'getAdvertiser',
  method: 'GET',
  path: '/advertisers/{idAdvertiser}',
  right: 'read',
  tag: 'Advertisements',
  summary: 'Get an advertiser',
  deprecated: true,
  params: Params({ idAdvertiser: Id('advertiser') }),
  reply: Advertiser,
  handle: ({ db, params }) => advertisers.get(db, params.idAdvertiser),
});
