import type { Operation } from '../platform/http/operation.ts';
import { generateCampaignReport } from './api/generate-campaign-report.ts';
import { getCampaignStatistics } from './api/get-campaign-statistics.ts';
import { getGrowth } from './api/get-growth.ts';
import { getProviderStatistics } from './api/get-provider-statistics.ts';
import { getSendingStatistics } from './api/get-sending-statistics.ts';
import { listAbTests } from './api/list-ab-tests.ts';
import { listAdvertisementStatistics } from './api/list-advertisement-statistics.ts';
import { listCampaignSendingStatistics } from './api/list-campaign-sending-statistics.ts';
import { listCampaignSendings } from './api/list-campaign-sendings.ts';
import { listGrowthPeople } from './api/list-growth-people.ts';
import { listJobEvents } from './api/list-job-events.ts';
import { listJobSendings } from './api/list-job-sendings.ts';
import { listJobSendingsShort } from './api/list-job-sendings-short.ts';
import { listJobs } from './api/list-jobs.ts';
import { listLinkStatistics } from './api/list-link-statistics.ts';
import { listRecentPeople } from './api/list-recent-people.ts';
import { listRecentProviderPeople } from './api/list-recent-provider-people.ts';
import { listRecentProviderStatistics } from './api/list-recent-provider-statistics.ts';
import { listRecentSendingStatistics } from './api/list-recent-sending-statistics.ts';
import { listServerReplies } from './api/list-server-replies.ts';
import { listStatisticsOverTime } from './api/list-statistics-over-time.ts';
import { listStatisticsPeople } from './api/list-statistics-people.ts';
import { listSubscriberEvents } from './api/list-subscriber-events.ts';
import { listUnreachedRecipients } from './api/list-unreached-recipients.ts';

export const statisticsOperations: readonly Operation[] = [
  listAbTests,
  listCampaignSendings,
  listJobSendings,
  listJobSendingsShort,
  listUnreachedRecipients,
  getCampaignStatistics,
  getProviderStatistics,
  getSendingStatistics,
  listRecentSendingStatistics,
  listCampaignSendingStatistics,
  listJobs,
  listJobEvents,
  listLinkStatistics,
  listAdvertisementStatistics,
  listStatisticsOverTime,
  listStatisticsPeople,
  listRecentPeople,
  listServerReplies,
  listSubscriberEvents,
  getGrowth,
  listGrowthPeople,
  listRecentProviderStatistics,
  listRecentProviderPeople,
  generateCampaignReport,
];
