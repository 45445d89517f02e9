import { siteOperation } from '../../platform/http/operation.ts';
import { Line, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
import { ListedContentData } from '../content-data.ts';
import { contentDataSorts, listData } from '../content-data-store.ts';

export const listContentData = siteOperation({
  id: 'listContentData',
  method: 'GET',
  path: '/content-data',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List content data',
  description:
    'The name of content data is their key. Data whose file is still being loaded keep their earlier rows.',
  query: Query({
    'filter.name': Type.Optional(Line(255, 'Part of the key, ignoring case and accents')),
    ...Paging(contentDataSorts),
  }),
  reply: Paged(ListedContentData),
  async handle({ db, query }) {
    const range = pageRange(query);
    const { items, totalCount } = await listData(db, { ...range, name: query['filter.name'] });
    return pageOf(items, totalCount, range.start);
  },
});
