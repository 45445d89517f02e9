import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import { classify } from '../activity/bounce-rules.ts';
import type { SignedIds } from '../activity/signed-ids.ts';
import type { App } from '../platform/app.ts';
import { sql } from '../platform/db/sql.ts';
import { recordForwardReport } from '../sending/forward-store.ts';
import { countMail, type MailOutcome } from '../sending/sending-health.ts';
import { recordReport } from './record-report.ts';
import type { Report } from './report.ts';

/**
 * Records a report on a message and counts it for the metrics. A report on a forwarded message concerns the friend's
 * address and not the subscriber who forwarded it, who is not marked; no counter includes it. Durable when this
 * resolves.
 */
export async function enterReport(app: App, report: Report, of: SignedIds, at: Date): Promise<void> {
  if (of.idForward === undefined) return countReport(app, await recordReport(app, report, of, at), of);
  const found = classify(report);
  const db = found === null ? undefined : await app.siteById(of.idSite);
  if (found !== null && db) await recordForwardReport(db, of.idForward, found, at);
}

const outcomeOf: Readonly<Record<BounceClass, MailOutcome | undefined>> = {
  [bounceClasses.hard]: 'bounced',
  [bounceClasses.soft]: 'bounced',
  [bounceClasses.dns]: 'bounced',
  [bounceClasses.spam]: 'bounced',
  [bounceClasses.autoReply]: undefined,
  [bounceClasses.complaint]: 'complained',
};

/**
 * Counts a recorded report for the metrics, under the provider of the subscriber's address. An automatic reply does not
 * count as a bounce here.
 */
async function countReport(
  app: App,
  found: BounceClass | null,
  { idSite, idSubscriber }: SignedIds,
): Promise<void> {
  const outcome = found === null ? undefined : outcomeOf[found];
  const db = outcome && (await app.siteById(idSite));
  if (!db) return;
  const row = await db.first<{ idProvider: number }>(sql`
    select d.id_provider as "idProvider"
    from ${db.t.subscriber} s join facteur.provider_domain d on d.domain = s.fld37
    where s.fld0 = ${idSubscriber}`);
  countMail(app, { idSite, idProvider: row?.idProvider ?? 0 }, outcome);
}
