import { siteOperation } from '../../platform/http/operation.ts';
import { OneOf, Query, Type } from '../../platform/http/schema.ts';
import { statisticsOverTime, TimeStatistics, timeUnits } from '../over-time.ts';
import { ScopeQuery, sentsOf } from '../scope.ts';

export const listStatisticsOverTime = siteOperation({
  id: 'listStatisticsOverTime',
  method: 'GET',
  path: '/statistics/over-time',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the figures of each hour or day',
  description:
    'For a campaign, a job or a sending, oldest first. Hours and days are in Paris time. Hours ' +
    'and days without an event are omitted.',
  query: Query({ ...ScopeQuery, unit: Type.Optional(OneOf(timeUnits, 'Default: day')) }),
  reply: Type.Array(TimeStatistics),
  refusals: [404],
  handle: async ({ db, query }) => statisticsOverTime(db, await sentsOf(db, query), query.unit ?? 'day'),
});
