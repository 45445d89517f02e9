import { dkimKeysFor } from '../../accounts/sending-domain-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { domainOf } from '../../platform/email-address.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { Checklist } from '../checklist.ts';
import { readinessOf, segmentTargetFaults } from '../readiness.ts';
import { areAllScored } from '../segment-view.ts';
import { type SenderFacts, senderWarnings, textWarnings } from '../warnings.ts';

export const getCampaignChecklist = siteOperation({
  id: 'getCampaignChecklist',
  method: 'GET',
  path: '/campaigns/{idCampaign}/checklist',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the checklist of a campaign',
  description:
    'A campaign is ready if every property is true, except `isTracked` and `hasSpamscore`. `hasConfig`: it has a ' +
    'sending configuration. `hasHtml`, `hasSubject`: contents, subjects and names exist, and every tag in them can ' +
    'be filled. `hasUnsub`: every content has an unsubscribe link. `hasSendingFilter`: it has a segment, and all ' +
    'filters of its targets are valid on the site and can be checked now. `hasSegmentNotExcluded`: a segment is not ' +
    'excluded. `hasSendingsPubs`: every [[ENCART.n]] has an advertisement. `isTargetSafe`: the targets select ' +
    'subscribed people only (`notSafeTargetIds` lists the others). `hasSpamscore`: each segment that is not ' +
    'excluded has a valid spam score. `problems` names the tags, as a request to send does; `warnings` do not ' +
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
