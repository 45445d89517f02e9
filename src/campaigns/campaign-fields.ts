import { campaignTypes } from '../contents/campaign-type.ts';
import { invalid, refused } from '../platform/http/refusal.ts';
import { IdOf, type RecordKind, Type } from '../platform/http/schema.ts';
import { type CampaignInput, type CampaignValues, campaignModes, maxContent } from './campaign.ts';

type Reading = (text: string) => unknown;

const asItIs: Reading = (text) => text;
const flag: Reading = (text) => {
  if (/^(1|true)$/i.test(text)) return true;
  if (/^(0|false)$/i.test(text)) return false;
  throw new Error('must be true, false, 1 or 0');
};
const whole: Reading = (text) => {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 2147483647) return Number(text);
  throw new Error('must be a whole number from 0 to 2147483647');
};
/** The id of another record; 0 and an empty text mean none. */
const reference: Reading = (text) => (text === '' ? 0 : whole(text));
const oneOf =
  (words: readonly string[]): Reading =>
  (text) => {
    const word =
      words.find((one) => one.toLowerCase() === text.toLowerCase()) ??
      words[/^\d+$/.test(text) ? Number(text) : -1];
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}, or its number from 0`);
    return word;
  };

/** Fields that set a property: its path in modifyCampaign's body, the reading of the text, the record it names. */
const settable: Readonly<Record<string, readonly [member: string, reading: Reading, record?: RecordKind]>> = {
  name: ['parameters.name', asItIs],
  msgHtml: ['htmlContent', asItIs],
  msgTxt: ['textContent', asItIs],
  mailObject: ['parameters.subject', asItIs],
  preheader: ['preheader', asItIs],
  expAlias: ['parameters.senderAlias', asItIs],
  responseAlias: ['parameters.responseAlias', asItIs],
  isArchive: ['parameters.isArchive', flag],
  hasTxtMsg: ['parameters.hasTextMessage', flag],
  useListUnsubscribe: ['parameters.useListUnsubscribeHeader', flag],
  nhdActive: ['parameters.notifyHighDelivrability', flag],
  isOneshot: ['parameters.isOneshot', flag],
  isTestAB: ['parameters.isAbTest', flag],
  genSpeed: ['parameters.sendingSpeed', whole],
  numTest: ['parameters.nbTests', whole],
  id_config: ['parameters.idConfiguration', reference, 'configuration'],
  id_testFilter: ['parameters.idTestTarget', reference, 'target'],
  id_thematic: ['parameters.idThematic', reference, 'thematic'],
  id_common_advertiser: ['parameters.idCommonAdvertiser', reference, 'advertiser'],
  id_common_affiliate: ['parameters.idCommonAffiliatePlatform', reference, 'affiliation'],
  id_campDynamic: ['idCampDynamic', reference, 'campaign'],
  id_campType: ['parameters.type', oneOf(campaignTypes)],
  id_campMode: ['parameters.mode', oneOf(campaignModes)],
  isDynamic: ['parameters.mode', flag],
};

/** Fields of the API document that cannot be set, each with the reason. */
const refusedFields: Readonly<Record<string, string>> = {
  id_campaign: 'cannot be changed; idCampaign names the campaign',
  creationDate: 'is given by the service',
  majDate: 'is given by the service',
  id_user: 'is who made the campaign and cannot be changed',
  id_planning: 'cannot be set; a campaign is planned by scheduling it',
  id_prog: 'cannot be set; there are no programs of campaigns',
  isTracked: 'is counted from the links; trackAllLinks, trackLink and untrackLink change it',
  nbPubInsert: 'is counted from the segments; assignAdvertisement changes it',
  nhdLinkActive: 'cannot be set; the notice of a high delivery rate has no link',
  id_site_brand: 'cannot be set; a site has one brand',
  isAutomation: 'cannot be set; there is no automation of campaigns',
};

const settableOf = (name: string) => (Object.hasOwn(settable, name) ? settable[name] : undefined);

/** All names of the document's list. */
export const campaignFieldNames: readonly string[] = [
  ...Object.keys(settable),
  ...Object.keys(refusedFields),
];

/** Texts by the names of fields, in the document's words. */
export const CampaignFields = Type.Object(
  Object.fromEntries(
    campaignFieldNames.map((name) => {
      const text = Type.String({ title: 'String', maxLength: maxContent });
      const record = settable[name]?.[2];
      return [name, Type.Optional(record ? IdOf(record, text) : text)];
    }),
  ),
  { title: 'CampaignFields', additionalProperties: false, minProperties: 1 },
);

/** The change that fields by name make. @throws 400 (unknown, misfit) or 422 (cannot be set), with the name */
export function changeOfFields(
  before: CampaignValues,
  fields: Readonly<Record<string, string>>,
): CampaignInput {
  const top: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    const reason = Object.hasOwn(refusedFields, name) ? refusedFields[name] : undefined;
    if (reason) throw refused(`fields.${name}: ${reason}`);
    const found = settableOf(name);
    if (!found)
      throw invalid(`fields.${name}: is unknown; must be one of ${Object.keys(settable).join(', ')}`);
    const [member, reading] = found;
    const value = readAs(name, text, reading);
    if (name === 'isDynamic') continue;
    if (member.startsWith('parameters.')) parameters[member.slice('parameters.'.length)] = value;
    else top[member] = value;
  }
  setMode(before, fields, parameters);
  return { ...top, parameters } as CampaignInput;
}

function readAs(name: string, text: string, reading: Reading): unknown {
  try {
    return reading(text);
  } catch (error) {
    throw invalid(`fields.${name}: ${(error as Error).message}`);
  }
}

/** Three fields say what the mode is; the two flags change it only where they have to. */
function setMode(
  { parameters: { mode } }: CampaignValues,
  { id_campMode, isDynamic, isTestAB }: Readonly<Record<string, string>>,
  parameters: Record<string, unknown>,
): void {
  const asked = id_campMode === undefined ? undefined : (parameters.mode as string);
  for (const [name, text, word] of [
    ['isDynamic', isDynamic, 'Dynamic'],
    ['isTestAB', isTestAB, 'TestAb'],
  ] as const) {
    if (text === undefined) continue;
    const is = flag(text) === true;
    const now = (parameters.mode ?? mode) as string;
    const isRight = is === (now === word);
    if (!isRight && asked !== undefined) throw invalid(`fields.${name}: contradicts fields.id_campMode`);
    if (isRight) continue;
    if (is && parameters.mode !== undefined)
      throw invalid(`fields.${name}: contradicts another field of the mode`);
    parameters.mode = is ? word : 'Simple';
  }
  if (parameters.mode !== undefined) parameters.isAbTest = parameters.mode === 'TestAb';
}

/** Rewrites an error about a property of modifyCampaign so that it names the field that sets it. */
export function inFields(message: string, given: Readonly<Record<string, string>>): string {
  for (const name of Object.keys(given)) {
    const [member] = settableOf(name) ?? [];
    if (member && message.startsWith(`${member}:`)) return `fields.${name}${message.slice(member.length)}`;
  }
  return message;
}
