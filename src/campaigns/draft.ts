import { Closed, Line, Maybe, MergedReference, type Static, Text } from '../platform/http/schema.ts';
import { type Campaign, maxContent, mergeCampaign } from './campaign.ts';

/** Contents of a campaign that are not stored yet. An omitted or null property has the stored value. */
export const draftContents = {
  htmlContent: Maybe(Text(maxContent)),
  textContent: Maybe(Text(maxContent)),
  preheader: Maybe(Line(500)),
  subject: Maybe(Line(500)),
  senderAlias: Maybe(Line(255)),
  responseAlias: Maybe(Line(255)),
  idConfiguration: MergedReference('configuration', 'The sending configuration'),
};
export const Draft = Closed('Draft', draftContents);
export type Draft = Static<typeof Draft>;

/** The campaign as it would be with the draft. */
export function withDraft(campaign: Campaign, draft: Draft): Campaign {
  const { htmlContent, textContent, preheader, ...parameters } = draft;
  return { ...campaign, ...mergeCampaign(campaign, { htmlContent, textContent, preheader, parameters }) };
}
