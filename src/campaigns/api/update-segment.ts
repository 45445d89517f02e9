import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { checkTarget } from '../campaign-references.ts';
import { lockCampaign, touchCampaign } from '../campaign-store.ts';
import { checkEditable } from '../schedule-state.ts';
import { SegmentInput, segmentParameters } from '../segment.ts';
import { updateSegment as replaceSegment } from '../segment-store.ts';
import { getSegmentAt } from '../segment-view.ts';

export const updateSegment = siteOperation({
  id: 'updateSegment',
  method: 'PUT',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Update a segment',
  description:
    'Replaces its `parameters`, as getSegment shows them; members that are left out take their defaults.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  body: SegmentInput,
  example: { name: 'Half', idTarget: 1, percent: 50, fixedValues: 0, isRandom: true },
  reply: Bool(),
  refusals: [409],
  handle: async ({ db, params, body, now }) => {
    const parameters = segmentParameters(body);
    return db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, params.idCampaign);
      checkEditable(campaign.scheduleState);
      const segment = await getSegmentAt(tx, campaign.id, params.segmentPosition);
      await checkTarget(tx, parameters.idTarget, 'idTarget');
      await replaceSegment(tx, segment.id, parameters);
      await touchCampaign(tx, campaign.id, now);
      return true;
    });
  },
});
