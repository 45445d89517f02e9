import type { Probe } from './isolation-matrix.ts';

const references = {
  'body.idAdvertiser': 'advertiser',
  'body.idAffiliation': 'affiliation',
  'body.idsThematic[]': 'thematic',
} as const;

/** The probes of the operations of thematics and of advertisements (see isolation-matrix.ts). */
export const contentProbes: Readonly<Record<string, readonly Probe[]>> = {
  getThematic: [
    {
      ids: { 'params.idThematic': 'thematic' },
      own: ({ thematic }) => ({ params: { idThematic: thematic } }),
    },
  ],
  modifyThematic: [
    {
      ids: { 'body.idThematic': 'thematic', 'body.idParentThematic': 'thematic' },
      own: ({ thematic }) => ({ body: { idThematic: thematic, name: 'Own' } }),
    },
  ],
  createThematic: [
    {
      ids: { 'body.idParentThematic': 'thematic' },
      own: ({ thematic }) => ({ body: { name: 'Own', idParentThematic: thematic } }),
    },
  ],
  getAdvertisement: [
    {
      ids: { 'params.idAdvertisement': 'advertisement' },
      own: ({ advertisement }) => ({ params: { idAdvertisement: advertisement } }),
    },
  ],
  createAdvertisement: [{ ids: references, own: () => ({ body: { name: 'Own', html: 'Own' } }) }],
  modifyAdvertisement: [
    {
      ids: { 'body.id': 'advertisement', ...references },
      own: ({ advertisement }) => ({ body: { id: advertisement, name: 'Own' } }),
    },
  ],
  getAdvertiser: [
    {
      ids: { 'params.idAdvertiser': 'advertiser' },
      own: ({ advertiser }) => ({ params: { idAdvertiser: advertiser } }),
    },
  ],
  modifyAdvertiser: [
    {
      ids: { 'body.id': 'advertiser' },
      own: ({ advertiser }) => ({ body: { id: advertiser, name: 'Own' } }),
    },
  ],
  getAffiliation: [
    {
      ids: { 'params.idAffiliation': 'affiliation' },
      own: ({ affiliation }) => ({ params: { idAffiliation: affiliation } }),
    },
  ],
  modifyAffiliation: [
    {
      ids: { 'body.id': 'affiliation' },
      own: ({ affiliation }) => ({ body: { id: affiliation, name: 'Own' } }),
    },
  ],
  assignAdvertisement: [
    {
      ids: {
        'params.idCampaign': 'campaign',
        'params.segmentPosition': 'segmentPosition',
        'body.idAdvertisement': 'advertisement',
      },
      own: ({ campaign, segmentPosition, advertisement }) => ({
        params: { idCampaign: campaign, segmentPosition },
        body: { position: 1, idAdvertisement: advertisement },
      }),
    },
  ],
};
