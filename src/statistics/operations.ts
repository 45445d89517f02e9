import type { Operation } from '../platform/http/operation.ts';
import { getCampaignStatistics } from './api/get-campaign-statistics.ts';
import { getProviderStatistics } from './api/get-provider-statistics.ts';
import { getSendingStatistics } from './api/get-sending-statistics.ts';
import { listCampaignSendingStatistics } from './api/list-campaign-sending-statistics.ts';
import { listJobs } from './api/list-jobs.ts';
import { listRecentSendingStatistics } from './api/list-recent-sending-statistics.ts';

export const statisticsOperations: readonly Operation[] = [
  getCampaignStatistics,
  getProviderStatistics,
  getSendingStatistics,
  listRecentSendingStatistics,
  listCampaignSendingStatistics,
  listJobs,
];
