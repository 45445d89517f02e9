import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { Sent } from '../../sending/sent.ts';
import { sentsOfCampaign, showSents } from '../../sending/sent-store.ts';

export const listCampaignSendings = siteOperation({
  id: 'listCampaignSendings',
  method: 'GET',
  path: '/campaigns/{idCampaign}/sendings',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the sendings of a campaign',
  description:
    'Sendings of all its jobs, including test mailings, oldest first. A job has none before its audience is ' +
    'frozen. Contents (msgHtml, msgTxt) are returned from the newest job on, up to 32 million characters in total; ' +
    'the others are null.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(Sent),
  handle: async ({ db, params }) => {
    const campaign = await getCampaign(db, params.idCampaign);
    return showSents(db, await sentsOfCampaign(db, campaign.id), true);
  },
});
