import type { Campaign } from '../campaigns/campaign.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, refused } from '../platform/http/refusal.ts';
import { findTarget } from '../targets/target-store.ts';
import { lastSentJob } from './job-store.ts';

/**
 * Lets nobody be mailed twice by mistake: a campaign that was sent is sent again only by who names the job that it was
 * last sent with, so that a call that comes twice does it once; a one-shot one is not sent again at all.
 * @param afterJob that job, when the caller named one
 * @throws 409 that says with which job the campaign was sent
 */
export async function checkSendAgain(
  tx: SiteDb,
  campaign: Campaign,
  afterJob: number | undefined,
): Promise<void> {
  const last = await checkOneshot(tx, campaign);
  if (!last) {
    if (afterJob === undefined) return;
    throw conflict(`The campaign has not been sent, so not with job ${afterJob}; leave afterJob out`);
  }
  if (afterJob !== last.id)
    throw conflict(
      `The campaign ${last.been}; give afterJob=${last.id} to send it to its audience once more`,
    );
}

/** A job that a campaign was last sent with. */
export interface LastSent {
  readonly id: number;
  /** Which job that was and when it ended, as a part of a sentence about the campaign. */
  readonly been: string;
}

/** The job that the campaign was last sent with, if there is one. @throws 409 when there is, and it is one-shot */
export async function checkOneshot(tx: SiteDb, { id, parameters }: Campaign): Promise<LastSent | undefined> {
  const last = await lastSentJob(tx, id);
  if (!last) return undefined;
  const ended = last.endedAt ? `, ended ${last.endedAt.toISOString()}` : '';
  const been = `has been sent (job ${last.id}${ended})`;
  if (parameters.isOneshot) throw conflict(`The campaign is one-shot (isOneshot) and ${been}`);
  return { id: last.id, been };
}

/**
 * The target that gets a campaign's test mailings. Looked at when one is requested and again when it is generated:
 * between the two a target may become one of real readers.
 * @throws 422 when there is none, or it is no test target
 */
export async function testTargetOf(tx: SiteDb, { parameters: { idTestTarget } }: Campaign): Promise<number> {
  const target = idTestTarget === null ? undefined : await findTarget(tx, idTestTarget);
  if (!target) throw refused('The campaign has no test target');
  if (!target.parameters.isTestTarget) throw refused(`Target ${target.id} is not a test target`);
  return target.id;
}
