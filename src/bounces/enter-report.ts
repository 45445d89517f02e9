import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import type { SignedIds } from '../activity/signed-ids.ts';
import type { App } from '../platform/app.ts';
import { sql } from '../platform/db/sql.ts';
import { countMail, type MailOutcome } from '../sending/sending-health.ts';
import { recordForwarded, recordReport } from './record-report.ts';
import type { Report } from './report.ts';

/**
 * Records a report on a message, forwarded ones included, and counts it for the metrics. Durable when this resolves.
 */
export async function enterReport(app: App, report: Report, of: SignedIds, at: Date): Promise<void> {
  const { idForward } = of;
  if (idForward === undefined) await countReport(app, await recordReport(app, report, of, at), of);
  else await recordForwarded(app, report, { ...of, idForward }, at);
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
