import { siteOperation } from '../../platform/http/operation.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { GrowthDay, PeriodDays } from '../growth.ts';
import { readGrowth } from '../growth-store.ts';

export const getGrowth = siteOperation({
  id: 'getGrowth',
  method: 'GET',
  path: '/statistics/growth',
  right: 'read',
  tag: 'Statistics',
  summary: 'Get the growth of the site by day',
  description:
    'The people who joined and left on each of the last `nbDays` days, oldest first, with the causes. Joining means ' +
    'to become eligible for mail: subscribed, and neither hard-bounced nor complained. A person who leaves and comes ' +
    'back counts each time. Days without a change are omitted. The ten largest imports and sendings of a day are ' +
    'named; the others add up by cause.',
  query: Query({ nbDays: PeriodDays }),
  reply: Type.Array(GrowthDay),
  handle: ({ db, now, query: { nbDays } }) => readGrowth(db, nbDays, now),
});
