import type { Campaign } from '../campaigns/campaign.ts';
import { refuseWhileHeld } from '../installation/installation-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict } from '../platform/http/refusal.ts';
import { addGeneration, expiryOfJob, moveJob, offerJob, plannedJob, putJobOff } from './job-store.ts';

/**
 * Takes a paused campaign up where it stood, in the caller's transaction, its row locked: a frozen job continues with
 * the recipients that are left; one that was paused before is generated, not before its time.
 * @throws 409 while sending is held, or when the messages have expired
 */
export async function resumeCampaign(tx: SiteDb, campaign: Campaign, at: Date): Promise<void> {
  await refuseWhileHeld(tx);
  const job = await plannedJob(tx, campaign.id);
  if (job.isFrozen) {
    // Mail programs would put them away unread.
    const expiry = await expiryOfJob(tx, job.id);
    if (expiry && expiry <= at) {
      throw conflict(`The messages have expired (${expiry.toISOString()}); stop the campaign instead`);
    }
    await moveJob(tx, job.id, 'Sending', { triedAt: at });
    await offerJob(tx, job.id);
  } else {
    await moveJob(tx, job.id, 'Programmed');
    // A pause of more than an hour must not make it a missed one; a date of a schedule keeps its time, and is missed.
    if (campaign.calendarDates.length === 0) await putJobOff(tx, job.id, at);
    await addGeneration(tx, job.id, job.scheduledAt > at ? job.scheduledAt : at);
  }
}
