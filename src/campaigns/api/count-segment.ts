import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { countAudience } from '../audience.ts';
import { SegmentCount } from '../segment.ts';
import { getSegmentAt } from '../segment-view.ts';

export const countSegment = siteOperation({
  id: 'countSegment',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}/count',
  right: 'read',
  tag: 'Campaign segments',
  summary: 'Count one segment',
  description: 'An array of one count, the same that counting all segments gives: it depends on the others.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  reply: Type.Array(SegmentCount),
  refusals: [409, 422, 503],
  handle: async ({ app, db, params, now, signal }) => {
    const segment = await getSegmentAt(db, params.idCampaign, params.segmentPosition);
    const counts = await countAudience(app, db, segment.idCampaign, now, signal);
    return counts.filter((count) => count.idSegment === segment.id);
  },
});
