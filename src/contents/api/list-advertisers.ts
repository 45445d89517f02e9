import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { Advertiser } from '../advertiser.ts';
import { advertisers } from '../advertiser-store.ts';
import { NamedListQuery } from '../record-store.ts';

export const listAdvertisers = siteOperation({
  id: 'listAdvertisers',
  method: 'GET',
  path: '/advertisers',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List advertisers',
  query: NamedListQuery(),
  reply: Paged(Advertiser),
  handle: ({ db, query }) => advertisers.list(db, query),
});
