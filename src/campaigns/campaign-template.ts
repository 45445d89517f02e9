import { isEmptySource } from '../contents/assemble-content.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Campaign } from './campaign.ts';
import { findCampaign } from './campaign-store.ts';

/** The campaign that another one is made from (`idCampDynamic`); undefined when it names none. */
export async function templateOf(db: SiteDb, campaign: Campaign): Promise<Campaign | undefined> {
  return campaign.idCampDynamic === null ? undefined : findCampaign(db, campaign.idCampDynamic);
}

/** The campaign as it is sent now: with what it takes from its template. */
export async function asSentNow(db: SiteDb, campaign: Campaign): Promise<Campaign> {
  return filledFrom(campaign, await templateOf(db, campaign));
}

/** May campaigns be made from it? Its mode may change after they named it. */
export const isTemplate = ({ parameters }: Campaign): boolean => parameters.mode === 'Dynamic';

/** Says that a campaign is no template, or no more. */
export const notDynamic = ({ id }: Campaign): string =>
  `idCampDynamic: campaign ${id} is not of mode Dynamic`;

/**
 * The campaign as it is sent: the only place that says what it takes from its template. The subject and the HTML, each
 * while its own is empty; the text and the preheader belong to the HTML, and are taken with it when its own are empty,
 * so that no message tells those who read its text something else. What the template takes from yet another is not
 * looked at.
 */
export function filledFrom(campaign: Campaign, template: Campaign | undefined): Campaign {
  if (!template || !isTemplate(template)) return campaign;
  const or = (own: string, given: string) => (isEmptySource(own) ? given : own);
  const subject = or(campaign.parameters.subject, template.parameters.subject);
  const filled = { ...campaign, parameters: { ...campaign.parameters, subject } };
  if (!isEmptySource(campaign.htmlContent)) return filled;
  return {
    ...filled,
    htmlContent: template.htmlContent,
    textContent: or(campaign.textContent, template.textContent),
    preheader: or(campaign.preheader, template.preheader),
  };
}
