import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { versionOfSegment } from '../campaign-version.ts';
import { SegmentReply } from '../segment.ts';
import { getSegmentAt, showSegments } from '../segment-view.ts';

export const getSegment = siteOperation({
  id: 'getSegment',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}',
  right: 'read',
  tag: 'Campaign segments',
  summary: 'Get a segment',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  versionOf: (db, { params }, isLocked) => versionOfSegment(db, params, isLocked),
  reply: SegmentReply,
  handle: async ({ db, params }) => {
    const segment = await getSegmentAt(db, params.idCampaign, params.segmentPosition);
    return (await showSegments(db, [segment]))[0]!;
  },
});
