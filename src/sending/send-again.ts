import type { Campaign } from '../campaigns/campaign.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict } from '../platform/http/refusal.ts';
import { lastSentJob } from './job-store.ts';

/**
 * Lets nobody be mailed twice by mistake: a campaign that was sent is sent again only by who names the job that it was
 * last sent with, so that a call that comes twice does it once; a one-shot one is not sent again at all.
 * @param afterJob that job, when the caller named one
 * @throws 409 that says with which job the campaign was sent
 */
export async function checkSendAgain(
  tx: SiteDb,
  { id, parameters }: Campaign,
  afterJob: number | undefined,
): Promise<void> {
  const last = await lastSentJob(tx, id);
  if (!last) {
    if (afterJob === undefined) return;
    throw conflict(`The campaign has not been sent, so not with job ${afterJob}; leave afterJob out`);
  }
  const ended = last.endedAt ? `, ended ${last.endedAt.toISOString()}` : '';
  const been = `has been sent (job ${last.id}${ended})`;
  if (parameters.isOneshot) throw conflict(`The campaign is one-shot (isOneshot) and ${been}`);
  if (afterJob !== last.id)
    throw conflict(`The campaign ${been}; give afterJob=${last.id} to send it to its audience once more`);
}
