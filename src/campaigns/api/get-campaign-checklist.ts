import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { Checklist } from '../checklist.ts';
import { checklistNow } from '../checklist-now.ts';
import { segmentTargetFaults } from '../readiness.ts';

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
    'prevent sending. `findings` has both for programs.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Checklist,
  handle: async ({ app, db, params, now }) => {
    const campaign = await getCampaign(db, params.idCampaign);
    const faults = await segmentTargetFaults(app, db, campaign.id, now);
    return checklistNow(app, db, campaign, faults);
  },
});
