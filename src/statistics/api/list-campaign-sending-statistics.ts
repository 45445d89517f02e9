import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { deviceOf, Mode, MultiSendingStatistics, NbDays } from '../sending-statistics.ts';
import { recentSendingStatistics } from '../sending-statistics-store.ts';

export const listCampaignSendingStatistics = siteOperation({
  id: 'listCampaignSendingStatistics',
  method: 'GET',
  path: '/statistics/campaign/sendings',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the statistics of recent campaign sendings',
  description:
    'The sendings of the campaign’s real jobs that started in the last `nbDays` days, oldest first; test mailings ' +
    'are left out. `mode` limits opens and clicks, and the rates made of them, to one device.',
  query: Query({ idCampaign: Id('campaign'), nbDays: NbDays, mode: Mode }),
  reply: Type.Array(MultiSendingStatistics),
  refusals: [404],
  async handle({ db, now, query: { idCampaign, nbDays, mode } }) {
    await getCampaign(db, idCampaign);
    return recentSendingStatistics(db, { nbDays, now, idCampaign }, deviceOf(mode));
  },
});
