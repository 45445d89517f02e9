import { advertisements } from '../../contents/advertisement-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid, refused } from '../../platform/http/refusal.ts';
import { Id, Int32, Params } from '../../platform/http/schema.ts';
import { checkTarget } from '../campaign-references.ts';
import { editCampaign } from '../campaign-store.ts';
import { assign } from '../placement-store.ts';
import { maxSegments, NewSegment, segmentParameters } from '../segment.ts';
import { insertSegment, listSegments, orderSegments } from '../segment-store.ts';

export const createSegment = siteOperation({
  id: 'createSegment',
  method: 'POST',
  path: '/campaigns/{idCampaign}/segments',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Create a segment',
  description:
    'Adds the segment with its advertisements, all or nothing, and returns its id. A target that is not safe is ' +
    'accepted here (see `isSafe`) and rejected when the campaign is sent.',
  params: Params({ idCampaign: Id('campaign') }),
  body: NewSegment,
  example: {
    ...{ name: 'All', idTarget: 1, percent: 100, fixedValues: 0 },
    advertisements: [{ position: 1, idAdvertisement: 1 }],
  },
  reply: Int32(),
  refusals: [409, 422],
  handle: async ({ params, body, ...of }) => {
    const parameters = segmentParameters(body);
    const places = body.advertisements ?? [];
    const again = places.findIndex(
      ({ position }, n) => places.findIndex((one) => one.position === position) < n,
    );
    if (again >= 0) throw invalid(`advertisements[${again}].position: must not repeat an earlier position`);
    return editCampaign(of, params.idCampaign, async (tx, campaign) => {
      await checkTarget(tx, parameters.idTarget, 'idTarget');
      const ids = (await listSegments(tx, campaign.id)).map((segment) => segment.id);
      if (ids.length >= maxSegments) throw refused(`A campaign has at most ${maxSegments} segments`);
      const id = await insertSegment(tx, campaign.id, parameters);
      if (body.position) await orderSegments(tx, campaign.id, ids.toSpliced(body.position - 1, 0, id));
      for (const [n, { position, idAdvertisement }] of places.entries()) {
        await advertisements.get(tx, idAdvertisement, `advertisements[${n}].idAdvertisement`);
        await assign(tx, campaign.id, [id], [position], { idAdvertisement, name: null, html: null });
      }
      return id;
    });
  },
});
