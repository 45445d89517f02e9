import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Int32, Params, Type } from '../../platform/http/schema.ts';
import { editCampaign } from '../campaign-store.ts';
import { listSegments, deleteSegment as removeSegment } from '../segment-store.ts';
import { getSegmentAt } from '../segment-view.ts';

export const deleteSegment = siteOperation({
  id: 'deleteSegment',
  method: 'DELETE',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Delete a segment',
  description: 'The segments behind it move up by one. Answers the ids of those that remain, in their order.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  reply: Type.Array(Int32()),
  refusals: [409],
  handle: async ({ params, ...of }) =>
    editCampaign(of, params.idCampaign, async (tx, campaign) => {
      await removeSegment(tx, await getSegmentAt(tx, campaign.id, params.segmentPosition));
      return (await listSegments(tx, campaign.id)).map((segment) => segment.id);
    }),
});
