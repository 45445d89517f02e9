import { sumCounters } from '../../activity/counters.ts';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query } from '../../platform/http/schema.ts';
import { godsonsOfSents } from '../../sending/forward-store.ts';
import { CampaignStatistics, campaignStatistics } from '../campaign-statistics.ts';
import { countersOfJobs } from '../job-list.ts';
import { realJobsOf } from '../job-row-store.ts';

export const getCampaignStatistics = siteOperation({
  id: 'getCampaignStatistics',
  method: 'GET',
  path: '/statistics/campaign',
  right: 'read',
  tag: 'Statistics',
  summary: 'Get campaign statistics',
  description:
    'Current sums over the sendings of all jobs except test mailings. A reader of two jobs counts in each, so the ' +
    'figures are the sums of those of `listJobs`. `nbSents` and `nbjob` are the numbers of sendings and jobs. ' +
    '`nbGodsons` counts the addresses that messages were forwarded to, once per sending. `jobErrorInfo` is that of ' +
    'the last job. `senderDomain`, `nbLinks` and `nbAd` are those of the last job with messages.',
  query: Query({ idCampaign: Id('campaign') }),
  reply: CampaignStatistics,
  refusals: [404],
  async handle({ db, query: { idCampaign } }) {
    await getCampaign(db, idCampaign);
    const jobs = await realJobsOf(db, idCampaign);
    const counters = await countersOfJobs(db, jobs);
    const godsons = await godsonsOfSents(
      db,
      jobs.flatMap(({ idsSent }) => idsSent),
    );
    const nbGodsons = [...godsons.values()].reduce((sum, n) => sum + n, 0);
    return campaignStatistics(jobs, sumCounters(counters.values()), nbGodsons);
  },
});
