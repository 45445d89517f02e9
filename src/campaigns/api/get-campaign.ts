import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { CampaignReply } from '../campaign.ts';
import { showById } from '../campaign-store.ts';
import { versionOfCampaign } from '../campaign-version.ts';

export const getCampaign = siteOperation({
  id: 'getCampaign',
  method: 'GET',
  path: '/campaigns/{idCampaign}',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get a campaign',
  params: Params({ idCampaign: Id('campaign') }),
  versionOf: (db, { params }, isLocked) => versionOfCampaign(db, params.idCampaign, isLocked),
  reply: CampaignReply,
  handle: ({ db, params }) => showById(db, params.idCampaign),
});
