import { invalid, refused } from '../platform/http/refusal.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import type { CampaignValues } from './campaign.ts';

/** Testers that a test mailing may have; each gets the message of every segment, of which there are few. */
export const maxTesters = 200;

/** @throws 422 when more people would get a test mailing than test it: a target without filters is everybody. */
export function checkTesters(count: number): void {
  if (count > maxTesters)
    throw refused(`The test target selects more than ${maxTesters} subscribers; restrict it to your testers`);
}

/** Returns why the mode of a campaign does not allow sending it to its segments; undefined if it does. */
export function faultOfMode({ parameters: { mode } }: CampaignValues): string | undefined {
  if (mode === 'Simple' || mode === 'Unknown' || mode === 'TestAb') return undefined;
  return `A campaign of mode ${mode} cannot be sent to its segments`;
}

/** Whether its single messages go to unsubscribed people too: they answer something that their reader did. */
export const isTransactional = ({ parameters }: Pick<CampaignValues, 'parameters'>): boolean =>
  parameters.type === 'Transac';

/** Returns why the mode of a campaign does not allow sending it to one subscriber; undefined if it does. */
export function faultOfSingle({ parameters: { mode } }: CampaignValues): string | undefined {
  if (mode === 'Simple' || mode === 'Unknown' || mode === 'Dynamic') return undefined;
  return `campaignId: a campaign of mode ${mode} cannot be sent to one subscriber; use a Simple or Dynamic one`;
}

/**
 * Checks what the schema cannot say: rules between members.
 * @returns the campaign with its name trimmed
 * @throws 400 that names the member and the rule
 */
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
