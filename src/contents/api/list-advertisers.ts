import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { Advertiser } from '../advertiser.ts';
import { advertiserColumns } from '../advertiser-store.ts';
import { listNamed, NamedListQuery } from '../named-list.ts';

export const listAdvertisers = siteOperation({
  id: 'listAdvertisers',
  method: 'GET',
  path: '/advertisers',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List advertisers',
  query: NamedListQuery(),
  reply: Paged(Advertiser),
  handle: ({ db, query }) =>
    listNamed<Advertiser>(db, { table: db.t.advertiser, columns: advertiserColumns }, query),
});
