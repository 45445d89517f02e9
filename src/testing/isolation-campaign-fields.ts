import type { Probe } from './isolation-matrix.ts';

/** The probes of the ids that modifyCampaignFields takes, as texts by the names of fields; see isolation-matrix.ts. */
export const campaignFieldProbes: Readonly<Record<string, readonly Probe[]>> = {
  modifyCampaignFields: [
    {
      ids: { 'body.idCampaign': 'campaign' },
      own: ({ campaign }) => ({ body: { idCampaign: campaign, fields: { name: 'Own' } } }),
    },
    {
      areTexts: true,
      ids: {
        'body.fields.id_config': 'configuration',
        'body.fields.id_testFilter': 'target',
        'body.fields.id_thematic': 'thematic',
        'body.fields.id_common_advertiser': 'advertiser',
        'body.fields.id_common_affiliate': 'affiliation',
        'body.fields.id_campDynamic': 'campaign',
      },
      own: ({ campaign }) => ({ body: { idCampaign: campaign, fields: { name: 'Own' } } }),
    },
  ],
};
