import { siteOperation } from '../../platform/http/operation.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { deviceOf, Mode, MultiSendingStatistics, NbDays } from '../sending-statistics.ts';
import { recentSendingStatistics } from '../sending-statistics-store.ts';

export const listRecentSendingStatistics = siteOperation({
  id: 'listRecentSendingStatistics',
  method: 'GET',
  path: '/statistics/sendings',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the statistics of recent sendings',
  description:
    'All sendings of real jobs that started in the last `nbDays` days, oldest first; test mailings are left out. ' +
    '`mode` limits opens and clicks, and the rates made of them, to one device.',
  query: Query({ nbDays: NbDays, mode: Mode }),
  reply: Type.Array(MultiSendingStatistics),
  handle: ({ db, now, query: { nbDays, mode } }) =>
    recentSendingStatistics(db, { nbDays, now }, deviceOf(mode)),
});
