import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { lockCampaign } from '../campaign-store.ts';
import { TrackedUrl } from '../tracked-link.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const getOrCreateTrackedLinks = siteOperation({
  id: 'getOrCreateTrackedLinks',
  method: 'GET',
  path: '/campaigns/{idCampaign}/tracked-links/default',
  // It reads by its method, but tracks what it meets for the first time.
  right: 'write',
  tag: 'Tracked links',
  summary: 'Get the URLs of a campaign and track new ones',
  description:
    'The addresses of the HTML, of the text, of the configuration and of the advertisements of its segments, ' +
    'unchanged. An address in an advertisement is a link of its own for each place. New http and https addresses ' +
    'become tracked; links that were untracked stay untracked; mailto and tel are listed and never tracked.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(TrackedUrl),
  refusals: [409, 422],
  handle: ({ db, params, now }) =>
    db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, params.idCampaign);
      return storeLinks(tx, campaign, now, { all: false });
    }),
});
