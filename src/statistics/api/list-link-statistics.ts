import { siteOperation } from '../../platform/http/operation.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { LinkStatistics, linkStatistics } from '../click-figures.ts';
import { ScopeQuery, sentsOf } from '../scope.ts';

export const listLinkStatistics = siteOperation({
  id: 'listLinkStatistics',
  method: 'GET',
  path: '/statistics/links',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the clicks on each tracked link',
  description: 'For a campaign, a job or a sending. The links with the most clickers come first.',
  query: Query(ScopeQuery),
  reply: Type.Array(LinkStatistics),
  refusals: [404],
  handle: async ({ db, query }) => linkStatistics(db, await sentsOf(db, query)),
});
