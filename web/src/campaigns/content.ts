import { api } from '../api/client.ts';
import { ifMatch, versionedOf } from '../api/versions.ts';
import type { Campaign } from './campaign.ts';
import type { ReadCampaign } from './campaign-query.ts';

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
  /** The MJML that made the HTML; empty if blocks did not make it. */
  readonly mjml: string;
  readonly text: string;
  readonly hasText: boolean;
  readonly idDirectory: number | null;
  readonly idTemplate: number | null;
}

const optionsOf = (parameters: Options): Options =>
  Object.fromEntries(optionNames.map((name) => [name, parameters[name]])) as unknown as Options;

export const contentOf = (campaign: ReadCampaign): Content => {
  const { parameters, preheader, htmlContent = '', textContent = '', idDirectory, idCampDynamic } = campaign;
  return {
    name: parameters.name,
    subject: parameters.subject,
    preheader,
    html: htmlContent,
    mjml: campaign.mjml.isCurrent ? campaign.mjml.mjml : '',
    text: textContent,
    hasText: parameters.hasTextMessage,
    idDirectory,
    idTemplate: idCampDynamic,
    ...optionsOf(parameters),
  };
};

/** The parts that a user knows: the MJML belongs to the HTML. */
export type ContentPart = Exclude<keyof Content, 'mjml'>;

/** The parts in which two contents differ. */
export const changedParts = (one: Content, other: Content): ContentPart[] =>
  (Object.keys(one) as (keyof Content)[])
    .filter((name) => name !== 'mjml')
    .filter((name) => one[name] !== other[name]);

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

/** A campaign as it was read last, and the version that a change is made to. */
export interface Base {
  readonly campaign: ReadCampaign;
  readonly etag: string;
}

/** Whether blocks made the HTML that differs from the stored one. */
const isOfBlocks = (content: Content, stored: Content) => content.mjml !== '' && content.html !== stored.html;

/** The contents to save one after the other: HTML of blocks is saved in a call of its own, with its MJML. */
export function saveSteps(content: Content, stored: Content): readonly Content[] {
  const rest = { ...content, html: stored.html, mjml: stored.mjml };
  return isOfBlocks(content, stored) && !isSameContent(rest, stored) ? [rest, content] : [content];
}

/**
 * Saves what differs from the stored content, of which HTML of blocks is all or nothing.
 * @throws 412 if the campaign has another version than the base
 */
export const saveContent = (
  idsite: string,
  base: Base,
  content: Content,
  stored: Content,
): Promise<ReadCampaign> =>
  (isOfBlocks(content, stored) ? saveBlocks : saveParts)(idsite, base, content, stored);

async function saveBlocks(idsite: string, { campaign, etag }: Base, content: Content): Promise<ReadCampaign> {
  const { html: htmlContent, mjml } = content;
  const { value, etag: next } = await versionedOf(
    api.PUT('/v1/{idsite}/campaigns/{idCampaign}/mjml', {
      params: { path: { idsite, idCampaign: campaign.id }, header: ifMatch(etag) },
      body: { mjml, htmlContent },
    }),
  );
  return { ...campaign, htmlContent, mjml: value, etag: next };
}

async function saveParts(
  idsite: string,
  { campaign: { id, mjml }, etag }: Base,
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
  const isCurrent = mjml.isCurrent && html === stored.html;
  return { ...value, etag: next, mjml: { ...mjml, isCurrent } };
}
