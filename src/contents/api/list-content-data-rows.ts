import { siteOperation } from '../../platform/http/operation.ts';
import { Count, Line, Paged, Query, Type } from '../../platform/http/schema.ts';
import { ContentKey } from '../content-block.ts';
import { ContentDataRow } from '../content-data.ts';
import { listDataRows } from '../content-data-store.ts';

export const listContentDataRows = siteOperation({
  id: 'listContentDataRows',
  method: 'GET',
  path: '/content-data/rows',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List the rows of content data',
  description:
    'In the order of their values. A long content is cut after 1,000 characters. `filter.value` finds the row that ' +
    'readers with this value see.',
  query: Query({
    key: ContentKey('The key of the data'),
    'filter.value': Type.Optional(Line(500, 'The whole value, ignoring case')),
    'filter.start': Type.Optional(Count()),
    'filter.limit': Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
  }),
  reply: Paged(ContentDataRow),
  refusals: [404],
  handle: ({ db, query }) =>
    listDataRows(db, query.key, {
      value: query['filter.value'],
      start: query['filter.start'] ?? 0,
      limit: query['filter.limit'] ?? 50,
    }),
});
