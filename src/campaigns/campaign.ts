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

/** The records that parameters name: the kind and the description of each. */
const references = {
  idCommonAffiliatePlatform: [
    'affiliation',
    'The affiliation platform that brings its advertisements; kept as a note',
  ],
  idCommonAdvertiser: ['advertiser', 'The advertiser of its advertisements; kept as a note'],
  idConfiguration: ['configuration', 'The sending configuration: who writes, header, footer; needed to send'],
  idTestTarget: ['target', 'A target with isTestTarget: who gets the test mailings'],
  idThematic: ['thematic', 'The subject it belongs to'],
} as const;

const parameters = {
  idCommonAffiliatePlatform: Nullable(Id(...references.idCommonAffiliatePlatform)),
  idCommonAdvertiser: Nullable(Id(...references.idCommonAdvertiser)),
  hasTextMessage: Bool(
    'Whether messages carry textContent beside the HTML; otherwise a text made from the HTML',
  ),
  idConfiguration: Nullable(Id(...references.idConfiguration)),
  idTestTarget: Nullable(Id(...references.idTestTarget)),
  idThematic: Nullable(Id(...references.idThematic)),
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

export const CampaignParameters = Closed('CampaignParameters', parameters);
export type CampaignParameters = Static<typeof CampaignParameters>;

/** The parameters that a caller may send. An omitted or null property is not given; 0 removes a reference. */
const CampaignParametersInput = Closed(
  'CampaignParametersInput',
  // fromEntries loses what the schema of each name is.
  Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      isReference(name) ? MergedReference(references[name][0], references[name][1]) : Maybe(schema),
    ]),
  ) as {
    [Name in keyof typeof parameters]: Name extends keyof typeof references
      ? ReturnType<typeof MergedReference>
      : ReturnType<typeof Maybe<(typeof parameters)[Name]>>;
  },
);

function isReference(name: string): name is keyof typeof references {
  return Object.hasOwn(references, name);
}

/** Characters of HTML or text that a campaign may have; mail programs cut far earlier. */
export const maxContent = 2_000_000;

const readOnly = ReadOnly();

/** A campaign as sent; properties that the service sets are ignored, so that a response can be sent back. */
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
export type CampaignValues = Readonly<
  Pick<
    Required<CampaignReply>,
    | ('parameters' | 'htmlContent' | 'textContent' | 'preheader' | 'idCampDynamic')
    | ('autoHostPictures' | 'autoHostPicturesIdDirectory' | 'idDirectory')
  >
>;

/** The row of a campaign. */
export interface Campaign
  extends CampaignValues,
    Readonly<Pick<CampaignReply, 'id' | 'authorId' | 'authorName' | 'isTracked'>> {
  readonly creationDate: Date;
  readonly lastUpdateDate: Date;
  readonly scheduleType: ScheduleType;
  readonly scheduleState: ScheduleState;
  readonly calendarDates: readonly Date[];
  /** The result of hosting the pictures of its HTML; null if they were never hosted. */
  readonly autoHostPicturesResult: readonly HostedPicture[] | null;
}

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

type Change<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** Values after a change: omitted ones stay, and null ones too unless null is the property's default in `empty`. */
export function merged<T extends object>(empty: T, before: T, change: Change<T>): T {
  const names = Object.keys(empty) as (keyof T)[];
  const isGiven = (name: keyof T) =>
    change[name] !== undefined && (change[name] !== null || empty[name] === null);
  return Object.fromEntries(names.map((name) => [name, isGiven(name) ? change[name] : before[name]])) as T;
}

/** Merges a change into a campaign. Over `emptyCampaign` this is a creation or a complete replacement. */
export function mergeCampaign(before: CampaignValues, input: CampaignInput): CampaignValues {
  const parameters = merged(emptyCampaign.parameters, before.parameters, input.parameters);
  return merged(emptyCampaign, before, { ...input, parameters });
}

/** The campaign as the API shows it. */
export function showCampaign(campaign: ListedCampaign, notSafeTargetIds: readonly number[]): CampaignReply {
  return inOrder(CampaignReply, {
    ...campaign,
    creationDate: campaign.creationDate.toISOString(),
    lastUpdateDate: campaign.lastUpdateDate.toISOString(),
    schedulingInfos: {
      calendarDates: campaign.calendarDates.map((date) => date.toISOString()).join(';'),
      type: campaign.scheduleType,
      state: campaign.scheduleState,
    },
    autoHostPicturesResult:
      campaign.autoHostPicturesResult?.map((one) => inOrder(PictureHosting, one)) ?? null,
    notSafeTargetIds: notSafeTargetIds.join(','),
  });
}
