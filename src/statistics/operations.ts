import type { Operation } from '../platform/http/operation.ts';
import { getCampaignStatistics } from './api/get-campaign-statistics.ts';
import { listJobs } from './api/list-jobs.ts';

export const statisticsOperations: readonly Operation[] = [getCampaignStatistics, listJobs];
