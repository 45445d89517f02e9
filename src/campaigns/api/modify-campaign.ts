import { setDirectory } from '../../contents/object-directory-store.ts';
import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, Query, Type } from '../../platform/http/schema.ts';
import { CampaignInput, CampaignReply, emptyCampaign, mergeCampaign } from '../campaign.ts';
import { checkReferences } from '../campaign-references.ts';
import { checkCampaign } from '../campaign-rules.ts';
import { getCampaign, lockCampaign, updateCampaign } from '../campaign-store.ts';
import { showById } from '../campaign-view.ts';
import { checkEditable } from '../schedule-state.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const modifyCampaign = siteOperation({
  id: 'modifyCampaign',
  method: 'PUT',
  path: '/campaigns',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Modify a campaign',
  description:
    'The body names the campaign by its `id`. A campaign whose messages are leaving, or are paused, cannot be ' +
    'changed (409).',
  query: Query({
    updateMode: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'false: members left out or null stay as they are; true: they fall back to their defaults',
      }),
    ),
    returnInformations: Type.Optional(
      Type.Boolean({ default: false, description: 'Answer the whole campaign instead of true' }),
    ),
    trackAllLinks: Type.Optional(
      Type.Boolean({ default: false, description: 'Track every link of its contents' }),
    ),
  }),
  body: CampaignInput,
  bodyMegabytes: largeBodyMegabytes,
  example: { id: 1, parameters: { name: 'First', subject: 'Hello again', idConfiguration: 1 } },
  reply: Type.Union([Bool(), CampaignReply]),
  refusals: [409, 422],
  handle: async ({ db, body, query, now }) => {
    const { id } = body;
    if (!id) throw invalid('id: is required: the campaign to modify');
    return db.transaction(async (tx) => {
      const before = await lockCampaign(tx, id);
      checkEditable(before.scheduleState);
      const values = checkCampaign(mergeCampaign(query.updateMode ? emptyCampaign : before, body));
      await checkReferences(tx, values);
      await updateCampaign(tx, id, values, now);
      await setDirectory(tx, 'campaign', id, values.idDirectory);
      if (query.trackAllLinks) await storeLinks(tx, await getCampaign(tx, id), now, { all: true });
      return query.returnInformations ? showById(tx, id) : true;
    });
  },
});
