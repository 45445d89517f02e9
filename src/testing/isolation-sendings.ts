import type { Probe } from './isolation-matrix.ts';

/** The probes of the operations that send a campaign, see isolation-matrix.ts. */
export const sendingProbes: Readonly<Record<string, readonly Probe[]>> = {
  scheduleCampaign: [
    {
      ids: { 'params.idCampaign': 'campaign' },
      own: ({ campaign }) => ({ params: { idCampaign: campaign }, body: ['2030-01-01T08:00:00'] }),
    },
  ],
  scheduleCampaignDaily: [
    {
      ids: { 'params.idCampaign': 'campaign' },
      own: ({ campaign }) => ({
        params: { idCampaign: campaign },
        body: { startDate: '2030-01-01T00:00:00', sendingTime: '08:00:00' },
      }),
    },
  ],
  sendCampaignNow: [
    {
      ids: { body: 'campaign', 'query.afterJob': 'job' },
      own: ({ campaign, job }) => ({ body: campaign, query: { afterJob: job } }),
    },
  ],
  resendToFailed: [
    {
      ids: { 'body.idCampaign': 'campaign', 'body.idJob': 'job' },
      own: ({ campaign, job }) => ({ body: { idCampaign: campaign, idJob: job } }),
    },
  ],
  listUnreachedRecipients: [
    { ids: { 'params.idSent': 'sent' }, own: ({ sent }) => ({ params: { idSent: sent } }) },
  ],
};
