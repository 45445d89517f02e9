import { campaignTypes } from '../contents/campaign-type.ts';
import type { HostedPicture } from '../pictures/host-pictures.ts';
import {
  Bool,
  Closed,
  Count,
  Id,
  IdOf,
  Int32,
  inOrder,
  Line,
  Maybe,
  MergedReference,
  Nullable,
  OneOf,
  ReadOnly,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { type ScheduleState, type ScheduleType, scheduleStates } from './schedule-state.ts';

export const campaignModes = ['Unknown', 'Simple', 'Dynamic', 'External', 'TestAb'] as const;
/** The properties in which the variants of an A/B test may differ; empty for a campaign that is not a test. */
const abTestTypes = ['', 'Subject', 'Sender', 'Content'] as const;

/** The records that parameters name. */
const references = {
  idCommonAffiliatePlatform: 'The affiliation platform that brings its advertisements; kept as a note',
  idCommonAdvertiser: 'The advertiser of its advertisements; kept as a note',
  idConfiguration: 'The sending configuration: who writes, header, footer; needed to send',
  idTestTarget: 'A target with isTestTarget: who gets the test mailings',
  idThematic: 'The subject it belongs to',
} as const;

const parameters = {
  idCommonAffiliatePlatform: Nullable(Id('affiliation', references.idCommonAffiliatePlatform)),
  idCommonAdvertiser: Nullable(Id('advertiser', references.idCommonAdvertiser)),
  hasTextMessage: Bool(
    'Whether messages carry textContent beside the HTML; otherwise a text made from the HTML',
  ),
  idConfiguration: Nullable(Id('configuration', references.idConfiguration)),
  idTestTarget: Nullable(Id('target', references.idTestTarget)),
  idThematic: Nullable(Id('thematic', references.idThematic)),
  isAbTest: Bool('Whether it is an A/B test: true with mode TestAb, and only then'),
  isOneshot: Bool('Sent once: after a sending has reached a recipient, another one is rejected'),
  isArchive: Bool('Whether lists of campaigns omit it; everything else still works'),
  mode: OneOf(
    campaignModes,
    'Simple campaigns go to their segments, and so do A/B tests (TestAb): first the variants, four hours later ' +
      'the remainder with what won. Dynamic ones are templates of others (idCampDynamic). External ones are never ' +
      'sent from here',
  ),
  name: Line(255, 'For its users; readers never see it'),
  notifyHighDelivrability: Bool(
    'Whether its author gets an email a day after the end of a sending to 100 people or more, if 98 % of the ' +
      'messages were delivered',
  ),
  responseAlias: Line(255, "The name beside the reply address; empty: the configuration's"),
  senderAlias: Line(255, "The name beside the sender's address; empty: the configuration's"),
  sendingSpeed: Type.Integer({
    minimum: 0,
    maximum: 2147483647,
    description: 'Messages per hour; 0 means no limit',
  }),
  subject: Line(500, 'May hold tags, for example [[FLD.101|dear reader]]'),
  type: OneOf(campaignTypes, 'For lists and statistics; it changes nothing in the sending'),
  useListUnsubscribeHeader: Bool('One-click unsubscribe in the mail program (RFC 8058). Default: true'),
  abTestType: OneOf(
    abTestTypes,
    "What the variants of an A/B test differ in: the segments' mailObject, senderAlias, or advertisements",
  ),
  nbTests: Count(
    'How many of the first segments are variants of an A/B test; the next one is the remainder. Excluded segments ' +
      'are not counted',
  ),
};

/** The parameters of a stored campaign, complete. */
export const CampaignParameters = Closed('CampaignParameters', parameters);
export type CampaignParameters = Static<typeof CampaignParameters>;

/** The parameters that a caller may send. An omitted or null property is not given; 0 removes a reference. */
export const CampaignParametersInput = Closed('CampaignParametersInput', {
  idCommonAffiliatePlatform: MergedReference('affiliation', references.idCommonAffiliatePlatform),
  idCommonAdvertiser: MergedReference('advertiser', references.idCommonAdvertiser),
  hasTextMessage: Maybe(parameters.hasTextMessage),
  idConfiguration: MergedReference('configuration', references.idConfiguration),
  idTestTarget: MergedReference('target', references.idTestTarget),
  idThematic: MergedReference('thematic', references.idThematic),
  isAbTest: Maybe(parameters.isAbTest),
  isOneshot: Maybe(parameters.isOneshot),
  isArchive: Maybe(parameters.isArchive),
  mode: Maybe(parameters.mode),
  name: Maybe(parameters.name),
  notifyHighDelivrability: Maybe(parameters.notifyHighDelivrability),
  responseAlias: Maybe(parameters.responseAlias),
  senderAlias: Maybe(parameters.senderAlias),
  sendingSpeed: Maybe(parameters.sendingSpeed),
  subject: Maybe(parameters.subject),
  type: Maybe(parameters.type),
  useListUnsubscribeHeader: Maybe(parameters.useListUnsubscribeHeader),
  abTestType: Maybe(parameters.abTestType),
  nbTests: Maybe(parameters.nbTests),
});

/** Characters of HTML or text that a campaign may have; mail programs cut far earlier. */
export const maxContent = 2_000_000;

const readOnly = ReadOnly();

/**
 * A campaign as a caller sends it. Properties that the service sets are accepted and ignored, so that a response can be
 * changed and sent back.
 */
export const CampaignInput = Closed('CampaignInput', {
  id: Maybe(IdOf('campaign', Count('To modify one; ignored when one is created'))),
  parameters: CampaignParametersInput,
  htmlContent: Maybe(
    Text(maxContent, 'May hold tags; header and footer of the configuration come around it'),
  ),
  textContent: Maybe(Text(maxContent, 'Sent beside the HTML with hasTextMessage')),
  preheader: Maybe(Line(500, 'Mail programs show it beside the subject; may hold tags')),
  idCampDynamic: MergedReference(
    'campaign',
    'The template that this campaign is made from, of mode Dynamic: while its own subject or HTML is empty it is ' +
      "sent with the template's, and with its text when its own is empty too",
  ),
  autoHostPictures: Maybe(
    Bool('Whether to copy the pictures of htmlContent from other hosts to this one and replace their URLs'),
  ),
  autoHostPicturesIdDirectory: MergedReference(
    'directory',
    'A directory of type Image for the hosted pictures',
  ),
  idDirectory: MergedReference('directory', 'Its directory (tag), of type Campaign'),
  creationDate: readOnly,
  lastUpdateDate: readOnly,
  schedulingInfos: readOnly,
  authorId: readOnly,
  authorName: readOnly,
  autoHostPicturesResult: readOnly,
  isTracked: readOnly,
  notSafeTargetIds: readOnly,
});
export type CampaignInput = Static<typeof CampaignInput>;

/** The values of a campaign that callers decide, complete. */
export interface CampaignValues {
  readonly parameters: CampaignParameters;
  readonly htmlContent: string;
  readonly textContent: string;
  /** The text that mail programs show beside the subject; plain text with tags. */
  readonly preheader: string;
  readonly idCampDynamic: number | null;
  readonly autoHostPictures: boolean;
  readonly autoHostPicturesIdDirectory: number | null;
  /** Directory (tag) of the campaign. */
  readonly idDirectory: number | null;
}

/** The row of a campaign. */
export interface Campaign extends CampaignValues {
  readonly id: number;
  readonly authorId: number;
  readonly authorName: string;
  readonly creationDate: Date;
  readonly lastUpdateDate: Date;
  readonly scheduleType: ScheduleType;
  readonly scheduleState: ScheduleState;
  readonly calendarDates: readonly Date[];
  /** Whether it has a tracked link. */
  readonly isTracked: boolean;
  /** The result of hosting the pictures of its HTML; null if they were never hosted. */
  readonly autoHostPicturesResult: readonly HostedPicture[] | null;
}

/** A campaign in a list, with or without its contents. */
export type ListedCampaign = Omit<Campaign, 'htmlContent' | 'textContent'> &
  Partial<Pick<Campaign, 'htmlContent' | 'textContent'>>;

const SchedulingInfos = Closed('SchedulingInfos', {
  calendarDates: Type.String({
    description:
      'The current and future dates, as ISO 8601 date-times joined by ;. For a daily schedule, the next one',
  }),
  type: Type.String({ description: 'None, Calendar, Daily or Immediate' }),
  state: Type.String({ description: scheduleStates.join(', ') }),
});

const PictureHosting = Closed('PictureHosting', {
  currentUrl: Type.String({ description: 'The URL in the HTML' }),
  newUrl: Nullable(Type.String({ description: 'Null: the address stays as it is' })),
  status: OneOf(['uploaded', 'uploadError'] as const),
  error: Nullable(Type.String({ description: 'Why it was not hosted' })),
});

const leftOut = { description: 'Omitted from lists, unless filter.withContents requests it' };

/** A campaign as the API shows it. */
export const CampaignReply = Closed('Campaign', {
  id: Int32(),
  parameters: CampaignParameters,
  htmlContent: Type.Optional(Type.String(leftOut)),
  textContent: Type.Optional(Type.String(leftOut)),
  preheader: Type.String(),
  creationDate: Timestamp(),
  lastUpdateDate: Timestamp(),
  schedulingInfos: SchedulingInfos,
  authorId: Int32(),
  authorName: Type.String(),
  idCampDynamic: Nullable(Int32()),
  autoHostPictures: Bool(),
  autoHostPicturesIdDirectory: Nullable(Int32()),
  idDirectory: Nullable(Int32()),
  autoHostPicturesResult: Nullable(Type.Array(PictureHosting)),
  isTracked: Bool(),
  notSafeTargetIds: Type.String({ description: 'Ids joined by ,' }),
});
export type CampaignReply = Static<typeof CampaignReply>;

/** The default values of a campaign. */
export const emptyCampaign: CampaignValues = {
  parameters: {
    idCommonAffiliatePlatform: null,
    idCommonAdvertiser: null,
    hasTextMessage: false,
    idConfiguration: null,
    idTestTarget: null,
    idThematic: null,
    isAbTest: false,
    isOneshot: false,
    isArchive: false,
    mode: 'Simple',
    name: '',
    notifyHighDelivrability: false,
    responseAlias: '',
    senderAlias: '',
    sendingSpeed: 0,
    subject: '',
    type: 'Newsletter',
    useListUnsubscribeHeader: true,
    abTestType: '',
    nbTests: 0,
  },
  htmlContent: '',
  textContent: '',
  preheader: '',
  idCampDynamic: null,
  autoHostPictures: false,
  autoHostPicturesIdDirectory: null,
  idDirectory: null,
};

/**
 * Merges a change into a campaign. Given properties replace, omitted and null ones keep their values; a null reference
 * means none, which a caller writes as 0. Over `emptyCampaign` this is a creation or a complete replacement.
 */
export function mergeCampaign(before: CampaignValues, input: CampaignInput): CampaignValues {
  const {
    idCampDynamic = before.idCampDynamic,
    autoHostPicturesIdDirectory = before.autoHostPicturesIdDirectory,
    idDirectory = before.idDirectory,
  } = input;
  return {
    parameters: { ...before.parameters, ...given(input.parameters) },
    htmlContent: input.htmlContent ?? before.htmlContent,
    textContent: input.textContent ?? before.textContent,
    preheader: input.preheader ?? before.preheader,
    idCampDynamic,
    autoHostPictures: input.autoHostPictures ?? before.autoHostPictures,
    autoHostPicturesIdDirectory,
    idDirectory,
  };
}

/** The given parameters, including null references. */
function given(parameters: CampaignInput['parameters']): Partial<CampaignParameters> {
  const pairs = Object.entries(parameters).filter(
    ([name, value]) => value !== undefined && (value !== null || Object.hasOwn(references, name)),
  );
  // fromEntries loses the names of properties; they are those of the parameters.
  return Object.fromEntries(pairs) as Partial<CampaignParameters>;
}

/** The campaign as the API shows it. */
export function showCampaign(campaign: ListedCampaign, notSafeTargetIds: readonly number[]): CampaignReply {
  const { htmlContent, textContent } = campaign;
  return {
    id: campaign.id,
    parameters: campaign.parameters,
    ...(htmlContent !== undefined && { htmlContent }),
    ...(textContent !== undefined && { textContent }),
    preheader: campaign.preheader,
    creationDate: campaign.creationDate.toISOString(),
    lastUpdateDate: campaign.lastUpdateDate.toISOString(),
    schedulingInfos: {
      calendarDates: campaign.calendarDates.map((date) => date.toISOString()).join(';'),
      type: campaign.scheduleType,
      state: campaign.scheduleState,
    },
    authorId: campaign.authorId,
    authorName: campaign.authorName,
    idCampDynamic: campaign.idCampDynamic,
    autoHostPictures: campaign.autoHostPictures,
    autoHostPicturesIdDirectory: campaign.autoHostPicturesIdDirectory,
    idDirectory: campaign.idDirectory,
    autoHostPicturesResult:
      campaign.autoHostPicturesResult?.map((one) => inOrder(PictureHosting, one)) ?? null,
    isTracked: campaign.isTracked,
    notSafeTargetIds: notSafeTargetIds.join(','),
  };
}
