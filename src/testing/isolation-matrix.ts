import type { IdKind, Ids } from './foreign-records.ts';
import { campaignFieldProbes } from './isolation-campaign-fields.ts';
import { contentProbes } from './isolation-contents.ts';
import { directoryProbes } from './isolation-directories.ts';
import { exportProbes } from './isolation-exports.ts';
import { pictureProbes } from './isolation-pictures.ts';
import { sendingProbes } from './isolation-sendings.ts';
import { statisticsProbes } from './isolation-statistics.ts';

/** The input of a call, as the operation declares it. */
export interface Call {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface Probe {
  /** What the ids stand for, by where they stand: `params.idTarget`, `body[].fields[].idField`. */
  readonly ids: Readonly<Record<string, IdKind>>;
  /** A call that the site `demo` answers with success, on records of its own. */
  readonly own: (own: Ids) => Call;
  /** The ids are given as texts. */
  readonly areTexts?: true;
}

/** The file that own-records.ts writes, and a date after those of the tests' clock. */
const ownList = { filename: 'own-list.csv', fileAutomaticDeletionDate: '2030-01-01T00:00:00Z' };

const ofTarget: Probe = {
  ids: { 'params.idTarget': 'target' },
  own: ({ target }) => ({ params: { idTarget: target } }),
};
const ofCampaign: Probe = {
  ids: { 'params.idCampaign': 'campaign' },
  own: ({ campaign }) => ({ params: { idCampaign: campaign } }),
};
const bodyIsCampaign: Probe = { ids: { body: 'campaign' }, own: ({ campaign }) => ({ body: campaign }) };
const ofSegment: Probe = {
  ids: { 'params.idCampaign': 'campaign', 'params.segmentPosition': 'segmentPosition' },
  own: ({ campaign, segmentPosition }) => ({ params: { idCampaign: campaign, segmentPosition } }),
};
const ofJob: Probe = {
  ids: { 'query.idCampaign': 'campaign', 'query.idJob': 'job' },
  own: ({ campaign, job }) => ({ query: { idCampaign: campaign, idJob: job } }),
};
const ofImport: Probe = {
  ids: { 'params.idImport': 'import' },
  own: ({ import: idImport }) => ({ params: { idImport } }),
};
const lookup = (by: string, kind: IdKind): Probe => ({
  ids: { 'query.filter.values[]': kind, 'query.filter.idFields[]': 'field' },
  own: (own) => ({
    query: {
      'filter.by': by,
      'filter.values': [own[kind]],
      'filter.idFields': [own.field],
      'filter.emailEncoding': 'None',
    },
  }),
});

/** The location of a list is a word, or the id of a directory. */
const inLocation = (sortBy: string): Probe => ({
  ids: { 'query.filter.location': 'directory' },
  own: ({ directory }) => ({
    query: { 'filter.location': directory, 'filter.sortBy': sortBy, 'filter.order': 'ASC' },
  }),
});

const campaignIds = {
  'body.parameters.idConfiguration': 'configuration',
  'body.parameters.idTestTarget': 'target',
  'body.parameters.idThematic': 'thematic',
  'body.parameters.idCommonAdvertiser': 'advertiser',
  'body.parameters.idCommonAffiliatePlatform': 'affiliation',
  'body.idCampDynamic': 'campaign',
  'body.idDirectory': 'directory',
  'body.autoHostPicturesIdDirectory': 'directory',
} as const;
const campaignBody = (own: Ids) => ({
  parameters: {
    name: 'Own',
    subject: 'Own',
    idConfiguration: own.configuration,
    idTestTarget: own.target,
    idThematic: own.thematic,
    idCommonAdvertiser: own.advertiser,
    idCommonAffiliatePlatform: own.affiliation,
  },
  idDirectory: own.directory,
});
const segmentBody = ({ target }: Ids) => ({ name: 'Own', idTarget: target, percent: 100, fixedValues: 0 });
const link = 'https://own.example/';

/**
 * Every place where an operation takes the id of a record, and a call that works. An operation may be probed in
 * several ways. `isolation.test.ts` fails for an id that is not told of here.
 */
export const probes: Readonly<Record<string, readonly Probe[]>> = {
  getFieldsByIds: [
    { ids: { 'query.idFields[]': 'field' }, own: ({ field }) => ({ query: { idFields: [field] } }) },
  ],
  modifyField: [
    { ids: { 'body.id': 'field' }, own: ({ field }) => ({ body: { id: field, description: 'Own' } }) },
  ],
  getSubscribers: [
    lookup('IdSubscriber', 'subscriber'),
    lookup('Email', 'email'),
    lookup('IdClient', 'subscriber'),
  ],
  searchSubscribers: [
    {
      ids: { 'query.filter.idFields[]': 'field' },
      own: ({ field }) => ({ query: { search: 'a', 'filter.idFields': [field] } }),
    },
  ],
  getArchivedSubscribers: [lookup('IdSubscriber', 'subscriber'), lookup('Email', 'email')],
  modifySubscribers: [
    {
      ids: { 'body[].id': 'subscriber', 'body[].fields[].idField': 'field' },
      own: ({ subscriber, field }) => ({
        body: [{ id: subscriber, fields: [{ idField: field, value: 'a' }] }],
      }),
    },
  ],
  createSubscribers: [
    {
      ids: { 'body[].id': 'subscriber', 'body[].fields[].idField': 'field' },
      own: ({ subscriber, field }) => ({
        body: [{ id: subscriber, fields: [{ idField: field, value: 'a' }] }],
      }),
    },
  ],
  deleteSubscribers: [
    {
      ids: { 'query.idSubscribers[]': 'subscriber' },
      own: ({ subscriber }) => ({ query: { idSubscribers: [subscriber] } }),
    },
    { ids: { 'body[]': 'subscriber' }, own: ({ subscriber }) => ({ body: [subscriber] }) },
  ],
  resubscribe: [
    {
      ids: { 'body[].idSubscriber': 'subscriber' },
      own: ({ subscriber }) => ({ body: [{ idSubscriber: subscriber, lastOrigin: 'Own' }] }),
    },
  ],
  subscribe: [
    {
      ids: { 'body[].idSubscriber': 'subscriber' },
      own: ({ subscriber }) => ({ body: [{ idSubscriber: subscriber, firstOrigin: 'Own' }] }),
    },
  ],
  unsubscribe: [
    {
      ids: { 'body[].idSubscriber': 'subscriber', 'body[].idSent': 'sent' },
      own: ({ subscriber, sent }) => ({ body: [{ idSubscriber: subscriber, idSent: sent }] }),
    },
    {
      ids: { 'body[].idSubscriptionField': 'field', 'body[].idUnsubDateField': 'dateField' },
      own: ({ subscriber, dateField }) => ({
        body: [
          {
            idSubscriber: subscriber,
            from: 'SpecificNewsletter',
            idSubscriptionField: dateField + 1,
            idUnsubDateField: dateField,
          },
        ],
      }),
    },
  ],
  listSendingConfigurations: [
    inLocation('Id'),
    {
      ids: { 'query.filter.idConfig': 'configuration' },
      own: ({ configuration }) => ({
        query: {
          'filter.location': 'All',
          'filter.sortBy': 'Id',
          'filter.order': 'ASC',
          'filter.idConfig': configuration,
        },
      }),
    },
  ],
  modifySendingConfiguration: [
    { ids: { 'body.id': 'configuration' }, own: ({ configuration }) => ({ body: { id: configuration } }) },
  ],
  duplicateSendingConfiguration: [
    {
      ids: { 'params.idConfig': 'configuration' },
      own: ({ configuration }) => ({ params: { idConfig: configuration } }),
    },
  ],
  listTargets: [inLocation('IdTarget')],
  getTarget: [ofTarget],
  updateTarget: [
    {
      ids: { 'params.idTarget': 'target', 'body.excludedTargets[]': 'target' },
      own: ({ target }) => ({ params: { idTarget: target }, body: { name: 'Own' } }),
    },
  ],
  deleteTarget: [ofTarget],
  getTargetSubscriberIds: [ofTarget],
  getTargetSubscribers: [
    {
      ids: ofTarget.ids,
      own: ({ target }) => ({
        params: { idTarget: target },
        query: { property: 'fld1', direction: 'ASC', start: 0, page: 1, limit: 10 },
      }),
    },
  ],
  getTargetDescription: [ofTarget],
  isTargetSafe: [ofTarget],
  duplicateTarget: [{ ids: { body: 'target' }, own: ({ target }) => ({ body: target }) }],
  countTarget: [ofTarget],
  archiveTarget: [ofTarget],
  unarchiveTarget: [ofTarget],
  createTarget: [
    {
      ids: { 'body.excludedTargets[]': 'target' },
      own: ({ target }) => ({ body: { name: 'Own', excludedTargets: [target] } }),
    },
  ],
  getFieldFilter: [ofTarget],
  setFieldFilter: [
    {
      ids: { 'body.idTarget': 'target', 'body.filters[].idField': 'field' },
      own: ({ target, field }) => ({
        body: { idTarget: target, filters: [{ idField: field, operator: 'Equal', value: 'a' }] },
      }),
    },
  ],
  getBehaviourFilter: [ofTarget],
  setBehaviourFilter: [
    {
      ids: { 'body.idTarget': 'target', 'body.idSentList': 'sentList' },
      own: ({ target, sentList }) => ({
        body: { idTarget: target, action: 'Open', behaviourType: 'Sent', idSentList: sentList },
      }),
    },
    {
      ids: { 'body.idCampaign': 'campaignList' },
      own: ({ target, campaignList }) => ({
        body: { idTarget: target, action: 'Click', behaviourType: 'Campaign', idCampaign: campaignList },
      }),
    },
  ],
  getThematicFilter: [ofTarget],
  setThematicFilter: [
    {
      ids: { 'body.idTarget': 'target', 'body.idsThematics[]': 'thematic' },
      own: ({ target, thematic }) => ({
        body: { idTarget: target, fromNbDays: 9, action: 'Open', idsThematics: [thematic] },
      }),
    },
  ],
  getSendingFilter: [ofTarget],
  setSendingFilter: [
    {
      ids: { 'body.idTarget': 'target', 'body.idSentList': 'sentList' },
      own: ({ target, sentList }) => ({
        body: { idTarget: target, isFilterEnabled: true, hasReceived: true, idSentList: sentList },
      }),
    },
    {
      ids: { 'body.idsCampaigns': 'campaignList' },
      own: ({ target, campaignList }) => ({
        body: { idTarget: target, isFilterEnabled: true, hasReceived: true, idsCampaigns: campaignList },
      }),
    },
  ],
  getEmailPressureFilter: [ofTarget],
  setEmailPressureFilter: [
    {
      ids: { 'body.idTarget': 'target' },
      own: ({ target }) => ({
        body: { idTarget: target, operatorRequest: 'LOWER', nbRequest: 4, type: 'Today' },
      }),
    },
  ],
  getGeolocationFilter: [ofTarget],
  setGeolocationFilter: [
    {
      ids: { 'body.idTarget': 'target' },
      own: ({ target }) => ({ body: { idTarget: target, country: 'FRANCE' } }),
    },
  ],
  getSqlFilter: [ofTarget],
  setSqlFilter: [
    {
      ids: { 'body.idTarget': 'target' },
      own: ({ target }) => ({ body: { idTarget: target, sql: 'fld7 = 0' } }),
    },
  ],
  getFileFilter: [ofTarget],
  setFileFilter: [
    {
      ids: { 'body.idTarget': 'target' },
      own: ({ target }) => ({ body: { idTarget: target, dbFieldName: 'fld1', ...ownList } }),
    },
  ],
  getCampaign: [ofCampaign],
  getCampaignChecklist: [ofCampaign],
  listCampaigns: [inLocation('Id')],
  modifyCampaign: [
    {
      ids: { 'body.id': 'campaign', ...campaignIds },
      own: (own) => ({ body: { id: own.campaign, ...campaignBody(own) } }),
    },
  ],
  createCampaign: [{ ids: campaignIds, own: (own) => ({ body: campaignBody(own) }) }],
  listSegments: [ofCampaign],
  createSegment: [
    {
      ids: { 'params.idCampaign': 'campaign', 'body.idTarget': 'target' },
      own: (own) => ({ params: { idCampaign: own.campaign }, body: segmentBody(own) }),
    },
  ],
  getSegment: [ofSegment],
  updateSegment: [
    {
      ids: { ...ofSegment.ids, 'body.idTarget': 'target' },
      own: (own) => ({ ...ofSegment.own(own), body: segmentBody(own) }),
    },
  ],
  deleteSegment: [ofSegment],
  reorderSegments: [
    {
      ids: { 'params.idCampaign': 'campaign', 'body[]': 'segment' },
      own: ({ campaign, segment }) => ({ params: { idCampaign: campaign }, body: [segment] }),
    },
  ],
  countSegment: [ofSegment],
  countSegments: [ofCampaign],
  getOrCreateTrackedLinks: [ofCampaign],
  listTrackedLinks: [ofCampaign],
  trackAllLinks: [bodyIsCampaign],
  trackLink: [
    {
      ids: {
        'params.idCampaign': 'campaign',
        'body.idAdvertisementInSegment': 'placement',
        'body.parameters.idDirectory': 'directory',
        'body.parameters.idThematic': 'thematic',
      },
      own: ({ campaign, placement, directory, thematic }) => ({
        params: { idCampaign: campaign },
        body: {
          url: link,
          idAdvertisementInSegment: placement,
          parameters: { idDirectory: directory, idThematic: thematic },
        },
      }),
    },
  ],
  untrackLink: [
    {
      ids: { 'params.idCampaign': 'campaign', 'params.idTrackedUrl': 'trackedLink' },
      own: ({ campaign, trackedLink }) => ({ params: { idCampaign: campaign, idTrackedUrl: trackedLink } }),
    },
  ],
  pauseCampaign: [bodyIsCampaign],
  stopCampaign: [bodyIsCampaign],
  sendTestMailing: [bodyIsCampaign],
  sendSegmentTestMailing: [
    {
      ids: { 'params.idCampaign': 'campaign', body: 'segmentPosition' },
      own: ({ campaign, segmentPosition }) => ({ params: { idCampaign: campaign }, body: segmentPosition }),
    },
  ],
  listCampaignSendings: [ofCampaign],
  listJobSendings: [ofJob],
  listJobSendingsShort: [ofJob],
  getImport: [ofImport],
  listImportLogs: [ofImport],
  pauseImport: [ofImport],
  deleteImport: [ofImport],
  resumeImport: [
    {
      ids: { 'params.idImport': 'pausedImport' },
      own: ({ pausedImport }) => ({ params: { idImport: pausedImport } }),
    },
  ],
  ...contentProbes,
  ...campaignFieldProbes,
  ...directoryProbes,
  ...exportProbes,
  ...pictureProbes,
  ...sendingProbes,
  ...statisticsProbes,
};
