import type { Probe } from './isolation-matrix.ts';

/** A campaign, a job and a sending. */
const scope: Probe = {
  ids: { 'query.idCampaign': 'campaign', 'query.idJob': 'job', 'query.idSent': 'sent' },
  own: ({ campaign, job, sent }) => ({ query: { idCampaign: campaign, idJob: job, idSent: sent } }),
};

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
  listLinkStatistics: [scope],
  listAdvertisementStatistics: [scope],
  listStatisticsOverTime: [scope],
  listStatisticsPeople: [
    {
      ids: { 'query.idSent': 'sent' },
      own: ({ sent }) => ({ query: { idSent: sent, figure: 'nbOpeners' } }),
    },
    {
      ids: { 'query.idLink': 'trackedLink' },
      own: ({ sent, trackedLink }) => ({
        query: { idSent: sent, idLink: trackedLink, figure: 'nbClickers' },
      }),
    },
  ],
  generateCampaignReport: [
    {
      ids: { 'query.idJob': 'job', 'query.idSent': 'sent' },
      own: ({ job, sent }) => ({ query: { idJob: job, idSent: sent, mpp: true } }),
    },
  ],
  listCampaignSendingStatistics: [
    {
      ids: { 'query.idCampaign': 'campaign' },
      own: ({ campaign }) => ({ query: { idCampaign: campaign, nbDays: 60 } }),
    },
  ],
};
