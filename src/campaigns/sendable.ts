import { refused } from '../platform/http/refusal.ts';
import type { Campaign } from './campaign.ts';
import type { Readiness } from './checklist.ts';

/** @throws 422 for a campaign of a mode that is not sent to segments */
export function checkSendable({ parameters: { mode } }: Campaign): void {
  if (mode === 'Simple' || mode === 'Unknown' || mode === 'TestAb') return;
  throw refused(`A campaign of mode ${mode} cannot be sent to its segments`);
}

/** @throws 422 that names all that keeps the campaign from being sent */
export function checkReady({ problems }: Readiness): void {
  if (problems.length > 0) throw refused(`The campaign is not ready: ${problems.join('; ')}`);
}

/** @throws 422 that names all that keeps even a test mailing from being sent */
export function checkTestable({ testProblems }: Readiness): void {
  if (testProblems.length > 0) throw refused(`The test mailing is not ready: ${testProblems.join('; ')}`);
}
