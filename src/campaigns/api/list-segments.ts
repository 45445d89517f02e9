import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { getCampaign } from '../campaign-store.ts';
import { SegmentReply } from '../segment.ts';
import { listSegments as findSegments } from '../segment-store.ts';
import { showSegments } from '../segment-view.ts';

export const listSegments = siteOperation({
  id: 'listSegments',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments',
  right: 'read',
  tag: 'Campaign segments',
  summary: 'List the segments of a campaign',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(SegmentReply),
  refusals: [413],
  handle: async ({ db, params }) => {
    const campaign = await getCampaign(db, params.idCampaign);
    return showSegments(db, await findSegments(db, campaign.id));
  },
});
