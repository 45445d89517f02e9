import { siteOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Id, Int32, Params } from '../../platform/http/schema.ts';
import { checkTarget } from '../campaign-references.ts';
import { editCampaign } from '../campaign-store.ts';
import { maxSegments, SegmentInput, segmentParameters } from '../segment.ts';
import { insertSegment, listSegments } from '../segment-store.ts';

export const createSegment = siteOperation({
  id: 'createSegment',
  method: 'POST',
  path: '/campaigns/{idCampaign}/segments',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Create a segment',
  description:
    'Adds the segment after the others and returns its id. A target that is not safe is accepted here ' +
    '(see `isSafe`) and rejected when the campaign is sent.',
  params: Params({ idCampaign: Id('campaign') }),
  body: SegmentInput,
  example: { name: 'All', idTarget: 1, percent: 100, fixedValues: 0 },
  reply: Int32(),
  refusals: [409, 422],
  handle: async ({ params, body, ...of }) => {
    const parameters = segmentParameters(body);
    return editCampaign(of, params.idCampaign, async (tx, campaign) => {
      await checkTarget(tx, parameters.idTarget, 'idTarget');
      if ((await listSegments(tx, campaign.id)).length >= maxSegments) {
        throw refused(`A campaign has at most ${maxSegments} segments`);
      }
      return insertSegment(tx, campaign.id, parameters);
    });
  },
});
