import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { Checklist } from '../checklist.ts';
import { readinessOf } from '../readiness.ts';

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
    '`hasSpamscore` are told, but do not keep a campaign from being ready. Of the others each must be true: ' +
    '`hasConfig` a sending configuration, ' +
    '`hasHtml`, `hasSubject`, `hasUnsub` an unsubscription link in every content, `hasSendingFilter` a segment, ' +
    '`hasSegmentNotExcluded` one that is not excluded, `hasSendingsPubs` an advertisement wherever one is asked for, ' +
    '`isTargetSafe` targets of subscribed people only (`notSafeTargetIds` names the others).',
  params: Query({ idCampaign: Id() }),
  reply: Checklist,
  handle: async ({ db, params }) =>
    (await readinessOf(db, await getCampaign(db, params.idCampaign))).checklist,
});
