import { siteOperation } from '../../platform/http/operation.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { AdvertisementStatistics, advertisementStatistics } from '../click-figures.ts';
import { ScopeQuery, sentsOf } from '../scope.ts';

export const listAdvertisementStatistics = siteOperation({
  id: 'listAdvertisementStatistics',
  method: 'GET',
  path: '/statistics/advertisements',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the clicks on each advertisement',
  description: 'For a campaign, a job or a sending. The advertisements with the most clickers come first.',
  query: Query(ScopeQuery),
  reply: Type.Array(AdvertisementStatistics),
  refusals: [404],
  handle: async ({ db, query }) => advertisementStatistics(db, await sentsOf(db, query)),
});
