import { siteAction } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { editCampaign } from '../campaign-store.ts';
import { maxSegments } from '../segment.ts';
import { listSegments, orderSegments } from '../segment-store.ts';

export const reorderSegments = siteAction({
  id: 'reorderSegments',
  method: 'PUT',
  path: '/campaigns/{idCampaign}/segments/order',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Reorder the segments of a campaign',
  description: 'The body is the ids of all its segments in the new order.',
  params: Params({ idCampaign: Id('campaign') }),
  body: Type.Array(Id('segment'), { maxItems: maxSegments }),
  refusals: [409],
  handle: async ({ params, body, ...of }) =>
    editCampaign(of, params.idCampaign, async (tx, campaign) => {
      const ids = (await listSegments(tx, campaign.id)).map((segment) => segment.id);
      const named = new Set(body);
      if (body.length !== ids.length || !ids.every((id) => named.has(id))) {
        throw invalid(
          `body: must name each segment of the campaign once: ${ids.join(', ') || 'it has none'}`,
        );
      }
      await orderSegments(tx, campaign.id, body);
    }),
});
