import type { Probe } from './isolation-matrix.ts';

/** The probes of the operations for statistics, see isolation-matrix.ts. */
export const statisticsProbes: Readonly<Record<string, readonly Probe[]>> = {
  getCampaignStatistics: [
    { ids: { 'query.idCampaign': 'campaign' }, own: ({ campaign }) => ({ query: { idCampaign: campaign } }) },
  ],
  getProviderStatistics: [
    {
      ids: { 'query.idJob': 'job', 'query.idSent': 'sent' },
      own: ({ job, sent }) => ({ query: { idJob: job, idSent: sent } }),
    },
  ],
  getSendingStatistics: [
    { ids: { 'query.idSent': 'sent' }, own: ({ sent }) => ({ query: { idSent: sent } }) },
  ],
  listCampaignSendingStatistics: [
    {
      ids: { 'query.idCampaign': 'campaign' },
      own: ({ campaign }) => ({ query: { idCampaign: campaign, nbDays: 60 } }),
    },
  ],
};
