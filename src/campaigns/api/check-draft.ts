import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Checklist } from '../checklist.ts';
import { checklistNow } from '../checklist-now.ts';
import { Draft } from '../draft.ts';
import { draftedCampaign } from '../drafted-campaign.ts';

export const checkDraft = siteOperation({
  id: 'checkDraft',
  method: 'POST',
  path: '/campaigns/{idCampaign}/checklist',
  right: 'read',
  unaudited: 'read',
  tag: 'Campaigns',
  summary: 'Check contents before they are stored',
  description:
    'The checklist that the campaign would have with the contents of the body, for editors that mark errors while ' +
    'their user writes. Stores nothing. Filters of targets are not checked, which getCampaignChecklist does.',
  params: Params({ idCampaign: Id('campaign') }),
  body: Draft,
  reply: Checklist,
  refusals: [404],
  handle: async ({ app, db, params, body }) =>
    checklistNow(app, db, await draftedCampaign(db, params.idCampaign, body), []),
});
