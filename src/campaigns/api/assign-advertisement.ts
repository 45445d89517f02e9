import { AdvertisementHtml, AdvertisementName } from '../../contents/advertisement.ts';
import { advertisements } from '../../contents/advertisement-store.ts';
import { placeholdersOf } from '../../contents/place-advertisements.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { largeBodyMegabytes, siteAction } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Closed, Count, Id, IdOf, Maybe, Params, Type } from '../../platform/http/schema.ts';
import type { Campaign } from '../campaign.ts';
import { editCampaign } from '../campaign-store.ts';
import { messagePartsOf } from '../message-parts.ts';
import { assign, unassign } from '../placement-store.ts';
import { messageContent } from '../segment-messages.ts';
import { listSegments } from '../segment-store.ts';
import { getSegmentAt } from '../segment-view.ts';

const AdvertisementAssignment = Closed('AdvertisementAssignment', {
  position: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    examples: [1],
    description: 'The n of the tag [[ENCART.n]]; 0 means every position in the campaign’s current HTML',
  }),
  idAdvertisement: IdOf(
    'advertisement',
    Type.Integer({
      title: 'Int32',
      minimum: -1,
      maximum: 2147483647,
      description:
        '-1 removes the advertisement at this position; with position 0, all advertisements of the segment',
    }),
  ),
  name: Maybe(AdvertisementName),
  html: Maybe(AdvertisementHtml),
});

export const assignAdvertisement = siteAction({
  id: 'assignAdvertisement',
  method: 'PUT',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}/advertisement',
  right: 'write',
  tag: 'Campaign segments',
  summary: 'Assign an advertisement to a placeholder',
  description:
    'Its HTML replaces [[ENCART.n]] in the contents, header and footer of the segment’s messages. ' +
    '`name` and `html` override the advertisement’s own here. Without them, changes of the ' +
    'advertisement take effect until the messages are generated.',
  params: Params({
    idCampaign: Id('campaign'),
    segmentPosition: IdOf('segmentPosition', Count('Counted from 1; 0 for all segments')),
  }),
  body: AdvertisementAssignment,
  bodyMegabytes: largeBodyMegabytes,
  example: { position: 1, idAdvertisement: 1 },
  refusals: [409, 422],
  handle: async ({ params, body, ...of }) =>
    editCampaign(of, params.idCampaign, async (tx, campaign) => {
      const segments = await segmentsAt(tx, campaign.id, params.segmentPosition);
      const { position, idAdvertisement, name = null, html = null } = body;
      if (idAdvertisement === -1) await unassign(tx, segments, position === 0 ? undefined : position);
      else {
        await advertisements.get(tx, idAdvertisement, 'idAdvertisement');
        const positions = position === 0 ? await allPositions(tx, campaign) : [position];
        await assign(tx, campaign.id, segments, positions, { idAdvertisement, name, html });
      }
    }),
});

async function segmentsAt(tx: SiteDb, idCampaign: number, position: number): Promise<number[]> {
  if (position !== 0) return [(await getSegmentAt(tx, idCampaign, position)).id];
  const segments = await listSegments(tx, idCampaign);
  if (segments.length === 0) throw refused('segmentPosition: the campaign has no segment');
  return segments.map((segment) => segment.id);
}

/** The positions in the campaign and its configuration; those inside an advertisement are assigned one by one. */
async function allPositions(tx: SiteDb, campaign: Campaign): Promise<number[]> {
  const { asSent, configuration } = await messagePartsOf(tx, campaign);
  const content = messageContent(asSent, configuration);
  const positions = placeholdersOf(content.html);
  if (positions.length === 0)
    throw refused('position: the HTML of the campaign has no [[ENCART.n]]; add one first');
  return positions;
}
