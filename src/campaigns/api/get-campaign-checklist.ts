import { dkimKeysFor } from '../../accounts/sending-domain-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { Checklist } from '../checklist.ts';
import { readinessOf, segmentTargetFaults } from '../readiness.ts';
import { areAllScored } from '../valid-scores.ts';
import { type SenderFacts, senderWarnings, textWarnings } from '../warnings.ts';

export const getCampaignChecklist = siteOperation({
  id: 'getCampaignChecklist',
  method: 'GET',
  path: '/campaigns/{idCampaign}/checklist',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the checklist of a campaign',
  description:
    'A part that holds a tag which cannot be filled counts as missing (`hasSubject` for subjects and names, ' +
    '`hasHtml` for the contents); `problems` names the tags, as asking to send does. `isTracked` and ' +
    '`hasSpamscore` (each segment that is not excluded has a valid spam score) are returned, but do not keep a ' +
    'campaign from being ready. Each of the others must be true: ' +
    '`hasConfig` a sending configuration, ' +
    '`hasHtml`, `hasSubject`, `hasUnsub` an unsubscribe link in every content, `hasSendingFilter` a segment, and ' +
    'targets whose filters are all valid on the current site (a target that cannot be checked at the ' +
    'moment also prevents it), ' +
    '`hasSegmentNotExcluded` one that is not excluded, `hasSendingsPubs` an advertisement at every [[ENCART.n]], ' +
    '`isTargetSafe` targets of subscribed people only (`notSafeTargetIds` names the others). `warnings` do not ' +
    'prevent sending.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Checklist,
  handle: async ({ app, db, params, now }) => {
    const campaign = await getCampaign(db, params.idCampaign);
    const faults = await segmentTargetFaults(app, db, campaign.id, now);
    const judged = await readinessOf(db, campaign, faults);
    const { checklist, configuration, asSent } = judged;
    const warnings = [...checklist.warnings, ...textWarnings(asSent, configuration)];
    if (configuration)
      warnings.push(...senderWarnings(await senderFacts(app, db, configuration.senderEMail)));
    return { ...checklist, hasSpamscore: await areAllScored(db, judged), warnings };
  },
});

async function senderFacts(app: App, db: SiteDb, senderEMail: string): Promise<SenderFacts> {
  const senderDomain = domainOf(senderEMail);
  const keys = await dkimKeysFor(app.control, app.secrets, db.site.id, senderDomain);
  return {
    senderDomain,
    returnPathDomain: new URL(app.publicUrl).hostname,
    dkimAlgorithms: keys.map(({ algorithm }) => algorithm),
  };
}
