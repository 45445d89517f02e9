import type { Probe } from './isolation-matrix.ts';

/** The probes of the exports' operations, see isolation-matrix.ts. */
export const exportProbes: Readonly<Record<string, readonly Probe[]>> = {
  createExport: [
    {
      ids: {
        'body.idTarget': 'target',
        'body.idsFields[]': 'fieldName',
        'body.idsEncodeFields[]': 'fieldName',
        'body.idRepository': 'repository',
      },
      own: ({ target, fieldName, repository }) => ({
        body: {
          idTarget: target,
          idsFields: [fieldName],
          idsEncodeFields: [fieldName],
          encoding: 'MD5',
          typeList: 'ID',
          idRepository: repository,
        },
      }),
    },
  ],
  previewImport: [
    {
      ids: { 'body.idRepository': 'repository' },
      own: () => ({ body: { idRepository: 0, filename: 'own-list.csv' } }),
    },
  ],
  exportStatistics: [
    {
      ids: {
        'query.idJob': 'job',
        'query.idCampaign': 'campaign',
        'query.idSent': 'sent',
        'query.idLink': 'trackedLink',
        'query.idPub': 'advertisement',
      },
      own: ({ job, campaign, sent, trackedLink, advertisement }) => ({
        query: {
          idJob: job,
          idCampaign: campaign,
          idSent: sent,
          idLink: trackedLink,
          idPub: advertisement,
          statType: 3,
        },
      }),
    },
  ],
  getExport: [
    { ids: { 'params.idExport': 'export' }, own: ({ export: idExport }) => ({ params: { idExport } }) },
  ],
  getExportState: [
    { ids: { 'query.idExport': 'export' }, own: ({ export: idExport }) => ({ query: { idExport } }) },
  ],
};
