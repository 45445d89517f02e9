import { api } from '../api/client.ts';
import { ifMatch, versionedOf } from '../api/versions.ts';
import type { Campaign } from './campaign.ts';
import { type ReadCampaign, readCampaignOf } from './campaign-query.ts';

type Parameters = Campaign['parameters'];

/** Parameters that the composer edits, except for the name and the subject. */
const optionNames = [
  'idConfiguration',
  'senderAlias',
  'responseAlias',
  'idThematic',
  'type',
  'sendingSpeed',
  'isOneshot',
  'useListUnsubscribeHeader',
  'notifyHighDelivrability',
  'idCommonAdvertiser',
  'idCommonAffiliatePlatform',
  'mode',
  'abTestType',
  'nbTests',
] as const satisfies readonly (keyof Parameters)[];
type Options = Pick<Parameters, (typeof optionNames)[number]>;

/** The parts of a campaign that the composer edits. */
export interface Content extends Readonly<Options> {
  readonly name: string;
  readonly subject: string;
  readonly preheader: string;
  readonly html: string;
  readonly text: string;
  readonly hasText: boolean;
  readonly idDirectory: number | null;
  readonly idTemplate: number | null;
}

const optionsOf = (parameters: Options): Options =>
  Object.fromEntries(optionNames.map((name) => [name, parameters[name]])) as unknown as Options;

export const contentOf = (campaign: Campaign): Content => {
  const { parameters, preheader, htmlContent = '', textContent = '', idDirectory, idCampDynamic } = campaign;
  return {
    name: parameters.name,
    subject: parameters.subject,
    preheader,
    html: htmlContent,
    text: textContent,
    hasText: parameters.hasTextMessage,
    idDirectory,
    idTemplate: idCampDynamic,
    ...optionsOf(parameters),
  };
};

/** The parts in which two contents differ. */
export const changedParts = (one: Content, other: Content): (keyof Content)[] =>
  (Object.keys(one) as (keyof Content)[]).filter((name) => one[name] !== other[name]);

export const isSameContent = (one: Content, other: Content): boolean => changedParts(one, other).length === 0;

/** The parts that checkDraft and previewDraft take. */
export const draftOf = ({ html, text, subject, preheader, ...content }: Content) => ({
  htmlContent: html,
  textContent: text,
  subject,
  preheader,
  senderAlias: content.senderAlias,
  responseAlias: content.responseAlias,
  idConfiguration: content.idConfiguration ?? 0,
});

/**
 * Saves what differs from the stored content.
 * @throws 412 if the campaign has another version than `etag`
 */
export async function saveContent(
  { idsite, id, etag }: { readonly idsite: string; readonly id: number; readonly etag: string },
  content: Content,
  stored: Content,
): Promise<ReadCampaign> {
  const { name, subject, preheader, html, text, hasText, idDirectory, idTemplate } = content;
  const { idConfiguration, idThematic, idCommonAdvertiser, idCommonAffiliatePlatform, ...options } =
    optionsOf(content);
  const { value, etag: next } = await versionedOf(
    api.PUT('/v1/{idsite}/campaigns', {
      params: { path: { idsite }, query: { returnInformations: true }, header: ifMatch(etag) },
      body: {
        id,
        parameters: {
          ...options,
          name,
          subject,
          hasTextMessage: hasText,
          isAbTest: options.mode === 'TestAb',
          idConfiguration: idConfiguration ?? 0,
          idThematic: idThematic ?? 0,
          idCommonAdvertiser: idCommonAdvertiser ?? 0,
          idCommonAffiliatePlatform: idCommonAffiliatePlatform ?? 0,
        },
        preheader,
        idDirectory: idDirectory ?? 0,
        idCampDynamic: idTemplate ?? 0,
        ...(html !== stored.html && { htmlContent: html }),
        ...(text !== stored.text && { textContent: text }),
      },
    }),
  );
  if (typeof value === 'boolean') throw new Error('The service returned no campaign');
  return readCampaignOf({ value, etag: next });
}
