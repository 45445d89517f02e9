import { isEmptySource } from '../contents/assemble-content.ts';
import { invalid, refused } from '../platform/http/refusal.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import type { Campaign, CampaignValues } from './campaign.ts';

/** Maximum number of testers of a test mailing. Each gets the message of every segment. */
export const maxTesters = 200;

/** @throws 422 for too many testers: a target without filters selects every subscriber */
export function checkTesters(count: number): void {
  if (count > maxTesters)
    throw refused(`The test target selects more than ${maxTesters} subscribers; restrict it to your testers`);
}

/** Returns why the mode of a campaign does not allow sending it to its segments; undefined if it does. */
export function faultOfMode({ parameters: { mode } }: CampaignValues): string | undefined {
  if (mode === 'Simple' || mode === 'Unknown' || mode === 'TestAb') return undefined;
  return `A campaign of mode ${mode} cannot be sent to its segments`;
}

/** Whether single messages also go to unsubscribed subscribers: they respond to an action of their reader. */
export const isTransactional = ({ parameters }: Pick<CampaignValues, 'parameters'>): boolean =>
  parameters.type === 'Transac';

/** Returns why the mode of a campaign does not allow sending it to one subscriber; undefined if it does. */
export function faultOfSingle({ parameters: { mode } }: CampaignValues): string | undefined {
  if (mode === 'Simple' || mode === 'Unknown' || mode === 'Dynamic') return undefined;
  return `campaignId: a campaign of mode ${mode} cannot be sent to one subscriber; use a Simple or Dynamic one`;
}

/** Checks the rules between properties; returns the campaign with its name trimmed. @throws 400 with the property */
export function checkCampaign(campaign: CampaignValues): CampaignValues {
  const { parameters } = campaign;
  if (parameters.name === '') throw invalid('parameters.name: is required');
  const name = visibleName(parameters.name, 'parameters.name');
  const isTest = parameters.mode === 'TestAb';
  if (parameters.isAbTest !== isTest) {
    throw invalid('parameters.isAbTest: goes with parameters.mode TestAb, and with no other mode');
  }
  if (isTest && parameters.abTestType === '') {
    throw invalid('parameters.abTestType: an A/B test needs Subject, Sender or Content');
  }
  if (isTest && parameters.nbTests < 2) throw invalid('parameters.nbTests: an A/B test needs at least 2');
  return { ...campaign, parameters: { ...parameters, name } };
}

/** Whether campaigns may be made from it. Its mode may change after they named it. */
export const isTemplate = ({ parameters }: Campaign): boolean => parameters.mode === 'Dynamic';

/** The problem of a campaign that is not a template, or no longer one. */
export const notDynamic = ({ id }: Campaign): string =>
  `idCampDynamic: campaign ${id} is not of mode Dynamic`;

/**
 * The campaign as it is sent, filled from its template. An empty subject and an empty HTML are each replaced. Text and
 * preheader belong to the HTML: if empty, they are replaced with it, so that text and HTML say the same. A template's
 * own template is ignored.
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
