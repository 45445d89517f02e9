import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { countAudience } from '../audience.ts';
import { getCampaign } from '../campaign-store.ts';
import { SegmentCount } from '../segment.ts';

export const countSegments = siteOperation({
  id: 'countSegments',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments/count',
  right: 'read',
  tag: 'Campaign segments',
  summary: 'Count all segments of a campaign',
  description:
    'Counted as a sending at this moment would: `targetCount` is the whole target, `deDuplicatedCount` those of it ' +
    'that may be written to and that no earlier segment took, `segmentCount` those that the segment takes.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: Type.Array(SegmentCount),
  refusals: [409, 422, 503],
  handle: async ({ app, db, params, now, signal }) => {
    const campaign = await getCampaign(db, params.idCampaign);
    return countAudience(app, db, campaign.id, now, signal);
  },
});
