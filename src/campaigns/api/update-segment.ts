import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { checkTarget } from '../campaign-references.ts';
import { editCampaign } from '../campaign-store.ts';
import { versionOfSegment } from '../campaign-version.ts';
import { SegmentInput, segmentParameters } from '../segment.ts';
import { updateSegment as replaceSegment } from '../segment-store.ts';
import { getSegmentAt } from '../segment-view.ts';

export const updateSegment = siteAction({
  id: 'updateSegment',
  method: 'PUT',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Update a segment',
  description:
    'Replaces its `parameters`, as getSegment returns them; omitted properties get their defaults.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  body: SegmentInput,
  example: { name: 'Half', idTarget: 1, percent: 50, fixedValues: 0, isRandom: true },
  versionOf: (db, { params }, isLocked) => versionOfSegment(db, params, isLocked),
  refusals: [409],
  handle: async ({ params, body, ...of }) => {
    const parameters = segmentParameters(body);
    return editCampaign(of, params.idCampaign, async (tx, campaign) => {
      const segment = await getSegmentAt(tx, campaign.id, params.segmentPosition);
      await checkTarget(tx, parameters.idTarget, 'idTarget');
      await replaceSegment(tx, segment.id, parameters);
    });
  },
});
