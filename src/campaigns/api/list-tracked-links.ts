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
    'Every address that was ever stored for the campaign, by id, also when it left the contents or its tracking was ' +
    'taken away (isTracked says so). Stores nothing. A campaign that was rewritten so often that its links are too ' +
    'many for one answer is told so (413).',
  params: Params({ idCampaign: Id() }),
  reply: Type.Array(TrackedUrl),
  refusals: [413],
  async handle({ db, params }) {
    const { id } = await getCampaign(db, params.idCampaign);
    return listLinks(db, id);
  },
});
