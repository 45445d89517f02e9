import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { TrackedUrl } from '../tracked-link.ts';
import { listLinks } from '../tracked-link-store.ts';

export const listTrackedLinks = siteOperation({
  id: 'listTrackedLinks',
  method: 'GET',
  path: '/campaigns/{idCampaign}/tracked-links',
  right: 'read',
  tag: 'Tracked links',
  summary: 'Get all tracked links of a campaign',
  description:
    'Every URL that was ever stored for the campaign, by id, even if it is no longer in the contents or no longer ' +
    'tracked (see isTracked). Stores nothing. Returns 413 if the campaign has too many links for one ' +
    'response.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(TrackedUrl),
  refusals: [413],
  async handle({ db, params }) {
    const { id } = await getCampaign(db, params.idCampaign);
    return listLinks(db, id);
  },
});
