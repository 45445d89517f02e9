import { sendSiteNotice } from '../../accounts/site-notice.ts';
import { findUser } from '../../accounts/user-store.ts';
import { countersOfSents } from '../../activity/counter-store.ts';
import { type Counters, sumCounters } from '../../activity/counters.ts';
import type { Campaign } from '../../campaigns/campaign.ts';
import { findCampaign } from '../../campaigns/campaign-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import type { Notice } from '../../platform/notice.ts';
import { addTask, task } from '../../platform/tasks.ts';
import type { Job } from '../job.ts';
import { findJob, triedInJob } from '../job-store.ts';
import { sentsOfJob } from '../sent-store.ts';

/** Delay after the end of a job; nearly all bounces arrive within it. */
const afterMs = 24 * 3_600_000;

/**
 * Notifies the author of a campaign that requests it (notifyHighDelivrability) that nearly all messages of a job were
 * delivered. If the task is killed before its end, it sends the notice again with the same Message-ID.
 */
export const notifyDelivery = task<{ idSite: number; idJob: number }>({
  name: 'tellDelivery',
  async run(app, { idSite, idJob }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const job = await findJob(db, idJob);
    const campaign = job && (await findCampaign(db, job.idCampaign));
    if (!job || !campaign?.parameters.notifyHighDelivrability) return;
    const sents = await sentsOfJob(db, campaign.id, idJob);
    const idsSent = sents.map((sent) => sent.idSent);
    const sum = sumCounters((await countersOfSents(db, idsSent)).values());
    // A cancelled recipient with a bounce or a reply was attempted too.
    const tried = Math.max(await triedInJob(db, idJob), sum.nbAddressSent);
    if (!isHighDelivery(sum, tried)) return;
    const author = await findUser(app.control, campaign.authorId);
    if (!author || author.isDisabled) {
      app.log.info(
        { idSite, idJob, idUser: campaign.authorId },
        'high delivery not notified: the author is missing or disabled',
      );
      return;
    }
    await sendSiteNotice(app, idSite, {
      to: [author.email],
      ...noticeOf(app, db, campaign, job, sum, tried),
    });
  },
});

/** Schedules the notice of a job in the transaction that ends it, if its campaign requests it. */
export async function addDeliveryNotice(tx: SiteDb, job: Job, at: Date): Promise<void> {
  if (job.isTest) return;
  const campaign = await findCampaign(tx, job.idCampaign);
  if (!campaign?.parameters.notifyHighDelivrability) return;
  const of = { idSite: tx.site.id, idJob: job.id };
  const spec = { runAt: new Date(at.getTime() + afterMs), jobKey: `delivery ${of.idSite} ${of.idJob}` };
  await addTask(tx, notifyDelivery, of, spec);
}

function noticeOf(
  app: App,
  { site }: SiteDb,
  { id, parameters: { name } }: Campaign,
  job: Job,
  sum: Counters,
  tried: number,
): Omit<Notice, 'to'> {
  const { nbHardBounces, nbSoftBounces, nbDnsErrorsBounces, nbSpamBounces } = sum;
  // Rounded down: 99.99 % must not show as 100 %.
  const percent = Math.floor((sum.nbDelivered / tried) * 1_000) / 10;
  const lines = [
    `Campaign ${id} of ${site.name}, ${name}: ${percent} % of the messages of job ${job.id} were delivered.`,
    '',
    `Recipients who were written to: ${tried}`,
    `Sent: ${sum.nbAddressSent}`,
    `Delivered: ${sum.nbDelivered}`,
    `Bounces: ${nbHardBounces} hard, ${nbSoftBounces} soft, ${nbDnsErrorsBounces} DNS, ${nbSpamBounces} spam`,
    `Complaints: ${sum.nbSpamComplaints}`,
    `Openers: ${sum.nbOpeners}, clickers: ${sum.nbClickers}`,
    `Started ${job.startedAt?.toISOString() ?? '-'}, ended ${job.endedAt?.toISOString() ?? '-'}`,
    `${app.publicUrl}`,
  ];
  return {
    subject: `High delivery of ${name} (${site.name})`,
    text: `${lines.join('\n')}\n`,
    id: `delivery-${site.id}-${job.id}`,
  };
}

/** Below this number of recipients a few bounces decide the result. */
const fewest = 100;
const share = 0.98;

/**
 * Whether nearly all messages of a job were delivered. Delivered is counted as in the counters; refused recipients
 * count against it.
 * @param tried recipients with a final state, except cancelled ones
 */
export function isHighDelivery({ nbDelivered }: Pick<Counters, 'nbDelivered'>, tried: number): boolean {
  return tried >= fewest && nbDelivered >= share * tried;
}
