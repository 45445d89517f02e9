import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { CampaignMjml } from '../campaign-mjml.ts';
import { mjmlOf } from '../campaign-mjml-store.ts';
import { versionOfCampaign } from '../campaign-version.ts';

export const getCampaignMjml = siteOperation({
  id: 'getCampaignMjml',
  method: 'GET',
  path: '/campaigns/{idCampaign}/mjml',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the MJML of a campaign',
  description:
    'The MJML that the HTML was made from, for editors of blocks. After any other change of the HTML it is kept, but ' +
    'no longer current.',
  params: Params({ idCampaign: Id('campaign') }),
  versionOf: (db, { params }, isLocked) => versionOfCampaign(db, params.idCampaign, isLocked),
  reply: CampaignMjml,
  handle: ({ db, params }) => mjmlOf(db, params.idCampaign),
});
