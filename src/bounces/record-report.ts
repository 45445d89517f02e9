import { createHash } from 'node:crypto';
import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import { classify } from '../activity/bounce-rules.ts';
import { recordBounce } from '../activity/bounce-store.ts';
import { deliveryAfter } from '../activity/delivery-after.ts';
import { settleBounce } from '../activity/receipt-store.ts';
import type { SignedIds } from '../activity/signed-ids.ts';
import { recordUnsubscription } from '../activity/unsubscription-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { jobOfSent } from '../sending/sent-store.ts';
import { countGrowthAs } from '../subscribers/growth-store.ts';
import { unsubscribe, worsenDelivery } from '../subscribers/subscription.ts';
import { addComplaintCheck } from './check-complaints.ts';
import type { Report } from './report.ts';

/**
 * Counts a report for the sending and the subscriber of its return path, and marks the subscriber, in one transaction.
 * A repeated report changes nothing.
 * @returns the class that it was counted as; null if it is not a bounce, was counted before, or its site no longer
 * exists.
 */
export async function recordReport(
  app: App,
  report: Report,
  of: SignedIds,
  at: Date,
): Promise<BounceClass | null> {
  const found = classify(report);
  const db = await app.siteById(of.idSite);
  if (found === null || !db) return null;
  return db.transaction(async (tx) => {
    const bounce = { idSent: of.idSent, idSubscriber: of.idSubscriber, class: found, at };
    const { status, diagnostic } = report;
    const isNew = await recordBounce(tx, { ...bounce, status, diagnostic, digest: digestOf(report, of) });
    if (!isNew) return null;
    await mark(tx, of, found, at);
    if (found === bounceClasses.complaint) await addComplaintCheck(tx, at);
    await settleBounce(tx, of.idSent, of.idSubscriber);
    return found;
  });
}

async function mark(tx: SiteDb, of: SignedIds, found: BounceClass, at: Date): Promise<void> {
  const state = deliveryAfter[found];
  await countGrowthAs(tx, found === bounceClasses.complaint ? 'complaint' : 'bounce', of.idSent);
  // A complaint is about the person, whatever their current address.
  const sentAt = found === bounceClasses.complaint ? at : ((await jobOfSent(tx, of.idSent))?.startedAt ?? at);
  if (state !== undefined) await worsenDelivery(tx, of.idSubscriber, state, { at, sentAt });
  if (found !== bounceClasses.complaint) return;
  await unsubscribe(tx, of.idSubscriber, at);
  const { idSent, idSubscriber } = of;
  await recordUnsubscription(tx, { idSent, idSubscriber, at, origin: 'complaint' });
}

/** Identifies a repeated report by its own content, because relays add headers on the way. */
function digestOf(report: Report, of: SignedIds): Buffer {
  const said = [of.idSite, of.idSent, of.idSubscriber, report.kind, report.action, report.status];
  const own = report.messageId || report.diagnostic;
  return createHash('sha256')
    .update(JSON.stringify([...said, own]))
    .digest();
}
