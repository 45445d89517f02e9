import type { Probe } from './isolation-matrix.ts';

const spamScore: Probe = {
  ids: {
    'body.idCampaign': 'campaign',
    'body.segmentPosition': 'segmentPosition',
    'body.idSubscriber': 'subscriber',
  },
  own: ({ campaign, segmentPosition, subscriber }) => ({
    body: { idCampaign: campaign, segmentPosition, idSubscriber: subscriber },
  }),
};

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
  previewMessage: [
    {
      ids: {
        'params.idCampaign': 'campaign',
        'params.segmentPosition': 'segmentPosition',
        'query.idSubscriber': 'subscriber',
      },
      own: ({ campaign, segmentPosition, subscriber }) => ({
        params: { idCampaign: campaign, segmentPosition },
        query: { idSubscriber: subscriber },
      }),
    },
    {
      ids: { 'query.email': 'email' },
      own: ({ campaign, segmentPosition, email }) => ({
        params: { idCampaign: campaign, segmentPosition },
        query: { email },
      }),
    },
  ],
  pregenerateHtml: [
    {
      ids: { 'query.idCampaign': 'campaign', 'query.idSent': 'sent', 'query.idJob': 'job' },
      own: ({ campaign, sent, job }) => ({ query: { idCampaign: campaign, idSent: sent, idJob: job } }),
    },
  ],
  pregenerateSendingHtml: [
    {
      ids: { 'params.idSent': 'sent' },
      own: ({ sent }) => ({ params: { idSent: sent }, body: '<p>Own</p>' }),
    },
  ],
  sendCampaignNow: [
    {
      ids: { body: 'campaign', 'query.afterJob': 'job' },
      own: ({ campaign, job }) => ({ body: campaign, query: { afterJob: job } }),
    },
  ],
  getAlert: [{ ids: { 'params.id': 'alert' }, own: ({ alert }) => ({ params: { id: alert } }) }],
  unlockAlert: [{ ids: { 'params.id': 'alert' }, own: ({ alert }) => ({ params: { id: alert } }) }],
  getSingleMessage: [
    {
      ids: { 'params.idSingleMessage': 'singleMessage' },
      own: ({ singleMessage }) => ({ params: { idSingleMessage: singleMessage } }),
    },
  ],
  sendCampaignToSubscriber: [
    {
      ids: {
        'body.campaignId': 'campaign',
        'body.subscriberId': 'subscriber',
        'body.clientId': 'subscriber',
        'body.idFields[]': 'field',
      },
      own: ({ campaign, subscriber, field }) => ({
        body: { campaignId: campaign, subscriberId: subscriber, clientId: subscriber, idFields: [1, field] },
      }),
    },
  ],
  resendToFailed: [
    {
      ids: { 'body.idCampaign': 'campaign', 'body.idJob': 'job' },
      own: ({ campaign, job }) => ({ body: { idCampaign: campaign, idJob: job } }),
    },
  ],
  computeSegmentSpamScore: [spamScore],
  computeSpamScores: [spamScore],
  listUnreachedRecipients: [
    { ids: { 'params.idSent': 'sent' }, own: ({ sent }) => ({ params: { idSent: sent } }) },
  ],
};
