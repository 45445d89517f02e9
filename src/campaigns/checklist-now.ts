import { dkimKeysFor } from '../accounts/sending-domain-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { domainOf } from '../platform/email-address.ts';
import type { TargetFault } from '../targets/target-faults.ts';
import type { Campaign } from './campaign.ts';
import { type Checklist, completeChecklist } from './checklist.ts';
import { readinessOf } from './readiness.ts';
import { areAllScored } from './segment-view.ts';
import { type SenderFacts, senderWarnings, textWarnings } from './warnings.ts';

/** The checklist of a campaign with the warnings. @param faults of `segmentTargetFaults`; empty: targets unchecked */
export async function checklistNow(
  app: App,
  db: SiteDb,
  campaign: Campaign,
  faults: readonly TargetFault[],
): Promise<Checklist> {
  const judged = await readinessOf(db, campaign, faults);
  const { checklist, configuration, asSent } = judged;
  const warnings = [...judged.warnings, ...textWarnings(asSent, configuration)];
  if (configuration) warnings.push(...senderWarnings(await senderFacts(app, db, configuration.senderEMail)));
  return completeChecklist(checklist, await areAllScored(db, judged), warnings);
}

async function senderFacts(app: App, db: SiteDb, senderEMail: string): Promise<SenderFacts> {
  const senderDomain = domainOf(senderEMail);
  const keys = await dkimKeysFor(app.control, app.secrets, db.site.id, senderDomain);
  return {
    senderDomain,
    returnPathDomain: new URL(app.publicUrl).hostname,
    dkimAlgorithms: keys.map(({ algorithm }) => algorithm),
  };
}
