import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, Person, usualPeople } from '../../subscribers/person.ts';
import { prepareSearch } from '../../subscribers/search-store.ts';
import { segmentPeople } from '../audience.ts';
import { getSegmentAt } from '../segment-view.ts';

export const listSegmentPeople = siteOperation({
  id: 'listSegmentPeople',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}/people',
  right: 'read',
  tag: 'Campaign segments',
  summary: 'List the subscribers that a segment takes',
  description:
    'By id, a page at a time: the next page begins `after` the last id of this one. There are as many as the ' +
    '`segmentCount` of countSegments: a sending at this moment would reach them with this segment, or with none if ' +
    'the segment is excluded. A segment or target that selects at random selects again for every page.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  query: Query(PageOfPeople),
  reply: Type.Array(Person),
  refusals: [409, 422, 503],
  async handle({ app, db, params, query, now, signal }) {
    const { search, after = 0, limit = usualPeople } = query;
    await prepareSearch(db, search);
    const segment = await getSegmentAt(db, params.idCampaign, params.segmentPosition);
    return segmentPeople({ app, db, segment, search, after, most: limit, at: now, signal });
  },
});
