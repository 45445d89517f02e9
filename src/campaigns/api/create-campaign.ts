import { setDirectory } from '../../contents/object-directory-store.ts';
import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Closed, Maybe, Query, Type } from '../../platform/http/schema.ts';
import { CampaignInput, CampaignReply, emptyCampaign, mergeCampaign } from '../campaign.ts';
import { checkReferences, checkTarget } from '../campaign-references.ts';
import { checkCampaign } from '../campaign-rules.ts';
import { getCampaign, insertCampaign, setHostingResult, showById } from '../campaign-store.ts';
import { fetchCampaignPictures, hostCampaignPictures } from '../change-campaign.ts';
import { maxSegments, SegmentInput, segmentParameters } from '../segment.ts';
import { insertSegment } from '../segment-store.ts';
import { storeLinks } from '../tracked-link-store.ts';

export const createCampaign = siteOperation({
  id: 'createCampaign',
  method: 'POST',
  path: '/campaigns',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Create a campaign',
  description:
    'Omitted properties get their defaults; an `id` is ignored. Nothing is sent yet. With ' +
    'autoHostPictures the response waits for the pictures, for at most 20 seconds; autoHostPicturesResult has the ' +
    'result of each.',
  query: Query({
    trackAllLinks: Type.Optional(
      Type.Boolean({ default: false, description: 'Track every link of its contents' }),
    ),
  }),
  body: Closed('NewCampaign', {
    ...CampaignInput.properties,
    segments: Maybe(
      Type.Array(SegmentInput, {
        maxItems: maxSegments,
        description: 'Its segments in their order; they are stored with the campaign, or nothing is',
      }),
    ),
  }),
  bodyMegabytes: largeBodyMegabytes,
  example: {
    parameters: {
      name: 'First',
      subject: 'Hello [[FLD.1]]',
      mode: 'Simple',
      type: 'Newsletter',
      idConfiguration: 1,
    },
    htmlContent: '<html><body><a href="https://shop.example/">Come and see</a></body></html>',
    segments: [{ name: 'All', idTarget: 1, percent: 100, fixedValues: 0 }],
  },
  reply: CampaignReply,
  refusals: [404, 422, 503],
  handle: async (input) => {
    const { db, body, query, caller, now } = input;
    const asked = checkCampaign(mergeCampaign(emptyCampaign, body));
    const segments = (body.segments ?? []).map((one, n) => segmentParameters(one, `segments[${n}].`));
    const pictures = await fetchCampaignPictures(input, body, asked, emptyCampaign);
    return db.transaction(async (tx) => {
      await checkReferences(tx, asked, emptyCampaign);
      for (const [n, { idTarget }] of segments.entries())
        await checkTarget(tx, idTarget, `segments[${n}].idTarget`);
      const hosted = pictures && (await hostCampaignPictures(tx, pictures, asked, input));
      const values = hosted?.values ?? asked;
      const id = await insertCampaign(tx, values, { id: caller.idUser, name: caller.userName }, now);
      await setHostingResult(tx, id, hosted?.result ?? null);
      await setDirectory(tx, 'campaign', id, values.idDirectory);
      for (const segment of segments) await insertSegment(tx, id, segment);
      if (query.trackAllLinks) await storeLinks(tx, await getCampaign(tx, id), now, { all: true });
      return showById(tx, id);
    });
  },
});
