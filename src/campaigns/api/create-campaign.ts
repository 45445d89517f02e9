import { setDirectory } from '../../contents/object-directory-store.ts';
import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { CampaignInput, CampaignReply, emptyCampaign, mergeCampaign } from '../campaign.ts';
import { checkReferences } from '../campaign-references.ts';
import { checkCampaign } from '../campaign-rules.ts';
import { getCampaign, insertCampaign } from '../campaign-store.ts';
import { showById } from '../campaign-view.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const createCampaign = siteOperation({
  id: 'createCampaign',
  method: 'POST',
  path: '/campaigns',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Create a campaign',
  description: 'Members left out take their defaults; an `id` is ignored. The campaign is sent nowhere yet.',
  query: Query({
    trackAllLinks: Type.Optional(
      Type.Boolean({ default: false, description: 'Track every link of its contents' }),
    ),
  }),
  body: CampaignInput,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    parameters: {
      name: 'First',
      subject: 'Hello [[FLD.1]]',
      mode: 'Simple',
      type: 'Newsletter',
      idConfiguration: 1,
    },
    htmlContent: '<html><body><a href="https://shop.example/">Come and see</a></body></html>',
  },
  reply: CampaignReply,
  refusals: [422],
  handle: async ({ db, body, query, caller, now }) => {
    const values = checkCampaign(mergeCampaign(emptyCampaign, body));
    return db.transaction(async (tx) => {
      await checkReferences(tx, values);
      const id = await insertCampaign(tx, values, { id: caller.idUser, name: caller.userName }, now);
      await setDirectory(tx, 'campaign', id, values.idDirectory);
      if (query.trackAllLinks) await storeLinks(tx, await getCampaign(tx, id), now, { all: true });
      return showById(tx, id);
    });
  },
});
