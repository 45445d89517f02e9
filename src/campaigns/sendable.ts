import { refused } from '../platform/http/refusal.ts';
import type { Campaign } from './campaign.ts';
import { faultOfMode } from './campaign-rules.ts';
import type { Readiness } from './checklist.ts';

/** @throws 422 for a campaign of a mode that is not sent to segments */
export function checkSendable(campaign: Campaign): void {
  const fault = faultOfMode(campaign);
  if (fault !== undefined) throw refused(fault);
}

/**
 * @throws 422 that names all that keeps the campaign from being sent; 503 when that is only what cannot be checked
 * now, as a file filter's while its repository is unavailable
 */
export function checkReady({ problems, away }: Readiness): void {
  if (problems.length > 0 && problems.length === away.length) throw away[0]!.refusal;
  if (problems.length > 0) throw refused(`The campaign is not ready: ${problems.join('; ')}`);
}

/** @throws 422 that names all that keeps even a test mailing from being sent */
export function checkTestable({ testProblems }: Pick<Readiness, 'testProblems'>): void {
  if (testProblems.length > 0) throw refused(`The test mailing is not ready: ${testProblems.join('; ')}`);
}
